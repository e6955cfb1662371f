import { parseBoundedJson } from '@parley/protocol/wire'
import type { z } from 'zod'
import type { Egress } from '../../egress/egress.ts'
import type { EgressRequest } from '../../egress/request.ts'

/** One hit, as clients show it: `media` names the site, `icon` is the address of its icon; what is unknown is empty. */
export type SearchResult = { title: string; link: string; content: string; media: string; icon: string }

/** In rank order. A throw is for people: it holds no key. */
export interface SearchEngine {
  search(query: string, signal: AbortSignal): Promise<SearchResult[]>
}

export type EngineOptions = {
  egress: Egress
  /** Default 15 s. */
  timeoutMs?: number
}

export const MAX_RESULTS = 10
const MAX_BYTES = 4 * 1024 * 1024
const MAX_TITLE = 300
const MAX_CONTENT = 2_000

type Ask = Pick<EgressRequest, 'method' | 'headers' | 'body' | 'signal'> & {
  /** For messages. */
  engine: string
  /** What an answer with this status means and what to do, beyond what is true of every engine. */
  hints?: Readonly<Record<number, string>>
}

/** Asks an engine and checks the shape of what it says. */
export async function ask<Schema extends z.ZodType>(
  url: URL,
  schema: Schema,
  { engine, hints = {}, egress, timeoutMs = 15_000, ...request }: Ask & EngineOptions,
): Promise<z.output<Schema>> {
  const { status, body } = await egress.request(url, {
    ...request,
    trust: 'configured',
    timeoutMs,
    maxBytes: MAX_BYTES,
  })
  // Never what the engine wrote: some repeat the key they were given.
  if (status !== 200)
    throw new Error(`${engine} answered with status ${status}. ${hints[status] ?? HINTS[status] ?? ''}`.trim())
  const parsed = schema.safeParse(parseBoundedJson(Buffer.from(body).toString('utf8')))
  if (!parsed.success) throw new Error(`${engine} answered with something that is no list of results. ${CHECK_URL}`)
  return parsed.data
}

const CHECK_URL = 'The operator of this server should check `search.url`.'
const CHECK_KEY = 'The operator of this server should check `search.key`.'
const HINTS: Record<number, string> = {
  401: CHECK_KEY,
  402: 'Its plan is used up.',
  403: CHECK_KEY,
  404: CHECK_URL,
  429: 'It is asked too often: wait a while before the next search.',
}

/** A hit in one shape, or nothing for one without a web address. */
export function searchResult(
  hit: Partial<Record<keyof SearchResult, string | null | undefined>>,
): SearchResult | undefined {
  const link = URL.parse(hit.link ?? '')
  if (!link || !isWeb(link)) return undefined
  const icon = URL.parse(hit.icon ?? '')
  const title = plain(hit.title, MAX_TITLE)
  return {
    title: title || link.href,
    link: link.href,
    content: plain(hit.content, MAX_CONTENT),
    media: plain(hit.media, MAX_TITLE) || link.hostname,
    icon: icon && isWeb(icon) ? icon.href : '',
  }
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:'
}

function plain(text: string | null | undefined, limit: number): string {
  return (text ?? '').replace(/\s+/g, ' ').trim().slice(0, limit).toWellFormed()
}
