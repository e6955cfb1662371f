import type { Dispatcher, Response } from 'undici'
import { EgressError, findEgressError } from './egress-error.ts'
import { nameOf } from './host-list.ts'
import type { EgressPolicy, Trust } from './policy.ts'

export type EgressRequest = {
  /** Who picked the URL. Default `chosen`. A redirect to another host is always `chosen`. */
  trust?: Trust
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Readonly<Record<string, string>>
  body?: string
  signal: AbortSignal
  /** For everything together, redirects and body included. */
  timeoutMs: number
  /** The body is read up to here, counted after decompression, and then let go. */
  maxBytes: number
  /** Default 5. */
  maxRedirects?: number
  /** A redirect to another host is not followed but told: whoever asks decides about it anew. Default false. */
  staysOnHost?: boolean
  /** Looks at the answer before its body is read; a throw lets it go. */
  inspect?: (head: ResponseHead) => void
}

export type ResponseHead = { status: number; url: URL; headers: Pick<Headers, 'get'> }

export type EgressResponse = ResponseHead & {
  body: Uint8Array
  /** There was more than `maxBytes`. */
  isTruncated: boolean
}

type World = { policy: EgressPolicy; dispatcherFor: (trust: Trust) => Promise<Dispatcher> }
type Hop = {
  url: URL
  trust: Trust
  method: NonNullable<EgressRequest['method']>
  headers: Record<string, string>
  body?: string
}

const LOCATION_SHOWN = 2_000
const REDIRECTS = [301, 302, 303, 307, 308]
/** What another origin may see of our headers. Keys come under many names, so what is not listed is dropped. */
const HARMLESS_HEADERS = ['accept', 'accept-language', 'content-type', 'user-agent']

/** One request, its redirects followed by hand so that each is checked like the first. */
export async function request(address: string | URL, options: EgressRequest, world: World): Promise<EgressResponse> {
  const { trust = 'chosen', method = 'GET', headers = {}, body, signal, timeoutMs, maxRedirects = 5 } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  const stop = AbortSignal.any([signal, timeout])
  const url = world.policy.checkUrl(address, trust)
  let hop: Hop = { url, trust, method, headers: lowerCased(headers), ...(body === undefined ? {} : { body }) }
  try {
    for (let redirects = 0; ; redirects++) {
      const response = await send(hop, stop, world)
      const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null
      if (location === null) return await readResponse(hop.url, response, options)
      await response.body?.cancel()
      if (redirects === maxRedirects)
        throw new EgressError('too_many_redirects', `${url.host} redirects more than ${maxRedirects} times.`)
      const next = nextHop(hop, { status: response.status, location }, world.policy)
      if (options.staysOnHost && hostName(next.url) !== hostName(hop.url)) throw leadsAway(hop.url, next.url)
      hop = next
    }
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted)
      throw new EgressError('timeout', `${hop.url.host} took longer than ${timeoutMs / 1000} s.`, { cause: error })
    throw findEgressError(error) ?? networkError(hop.url, error)
  }
}

async function send({ url, trust, ...init }: Hop, signal: AbortSignal, world: World): Promise<Response> {
  const { fetch } = await import('undici')
  return fetch(url, { ...init, signal, redirect: 'manual', dispatcher: await world.dispatcherFor(trust) })
}

type Redirect = { status: number; location: string }

function nextHop(from: Hop, { status, location }: Redirect, policy: EgressPolicy): Hop {
  const target = URL.parse(location, from.url.href)
  const trust = target?.host === from.url.host ? from.trust : 'chosen'
  const url = policy.checkUrl(target ?? location, trust)
  const headers = url.origin === from.url.origin ? from.headers : harmless(from.headers)
  if (status !== 307 && status !== 308) return { url, trust, method: 'GET', headers }
  if (from.body !== undefined && url.host !== from.url.host)
    throw new EgressError('refused_url', `${from.url.host} redirects what was sent to it on to ${url.host}.`)
  return { ...from, url, trust, headers }
}

/** With its port, unless that is the usual one: another port may be another's. */
function hostName(url: URL): string {
  return `${nameOf(url)}:${url.port}`
}

function leadsAway(from: URL, to: URL): EgressError {
  const where = to.href.slice(0, LOCATION_SHOWN)
  return new EgressError('other_host', `${from.host} redirects to another host, which was not asked: ${where}`)
}

async function readResponse(url: URL, response: Response, options: EgressRequest): Promise<EgressResponse> {
  const { status, headers } = response
  const reader = response.body?.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    options.inspect?.({ status, url, headers })
    while (reader && size <= options.maxBytes) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      size += value.length
    }
  } finally {
    // Without this the rest would go on arriving.
    await reader?.cancel().catch(() => undefined)
  }
  const body = Buffer.concat(chunks).subarray(0, options.maxBytes)
  return { status, url, headers, body, isTruncated: size > options.maxBytes }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function harmless(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS_HEADERS.includes(name)))
}

function networkError(url: URL, error: unknown): unknown {
  if (!(error instanceof TypeError)) return error
  const cause = error.cause as NodeJS.ErrnoException | undefined
  if (cause?.code === 'ENOTFOUND' || cause?.code === 'EAI_AGAIN')
    return new EgressError('not_found', `There is no host named ${url.hostname}.`, { cause: error })
  const reason = cause?.code ?? cause?.message ?? error.message
  return new EgressError('network', `${url.host} cannot be reached (${reason}).`, { cause: error })
}
