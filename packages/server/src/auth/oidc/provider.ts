import { AgentError } from '@parley/protocol'
import { parseBoundedJson } from '@parley/protocol/wire'
import { z } from 'zod'
import type { Egress } from '../../egress/egress.ts'
import type { EgressRequest } from '../../egress/request.ts'
import { isKeyAddress } from '../product/visitors-options.ts'

const address = z.string().max(2_000).refine(isKeyAddress)

/** What a provider says about itself; all else is left behind. */
const metadataSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: address,
  token_endpoint: address,
  jwks_uri: address,
  userinfo_endpoint: address.optional(),
  end_session_endpoint: address.optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(['client_secret_basic']),
  authorization_response_iss_parameter_supported: z.boolean().default(false),
})
export type Metadata = z.infer<typeof metadataSchema>

export type ProviderOptions = {
  issuer: string
  egress: Pick<Egress, 'request'>
  /** A clock that cannot be set, in milliseconds. */
  elapsed: () => number
}

type Asked = Pick<EgressRequest, 'method' | 'headers' | 'body'>

const ANSWER_WITHIN_MS = 10_000
const MAX_BYTES = 128 * 1024
/** How long what it says about itself holds. */
const KEEP_MS = 60 * 60_000

/** A provider, as it is asked. The operator named its host, which may be a private one; other hosts that it names may not. */
export class Provider {
  readonly #options: ProviderOptions
  readonly #closed = new AbortController()
  #known: { metadata: Metadata; at: number } | undefined

  constructor(options: ProviderOptions) {
    this.#options = options
  }

  /** For whoever asks it for something else. */
  readonly egress: Pick<Egress, 'request'> = {
    request: (url, options) => this.#options.egress.request(url, { ...options, trust: this.#trustOf(url) }),
  }

  /** Throws `sign_in_unavailable` when it cannot be had. */
  async metadata(): Promise<Metadata> {
    const { issuer, elapsed } = this.#options
    if (this.#known && elapsed() - this.#known.at < KEEP_MS) return this.#known.metadata
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const { status, json } = await this.ask(url)
    const read = metadataSchema.safeParse(json)
    // Somebody else's word, or another tenant's, would bring other keys.
    if (status !== 200 || !read.success || read.data.issuer !== issuer) throw unavailable(`${url} says ${status}`)
    this.#known = { metadata: read.data, at: elapsed() }
    return read.data
  }

  /** One request. Its answer is data, within limits; `undefined` when it is no JSON. */
  async ask(url: string, asked: Asked = {}): Promise<{ status: number; json: unknown }> {
    try {
      const { status, body, isTruncated } = await this.egress.request(url, {
        ...asked,
        headers: { accept: 'application/json', ...asked.headers },
        signal: this.#closed.signal,
        timeoutMs: ANSWER_WITHIN_MS,
        maxBytes: MAX_BYTES,
        maxRedirects: 0,
      })
      return { status, json: isTruncated ? undefined : readJson(body) }
    } catch (error) {
      throw unavailable((error as Error).message, error)
    }
  }

  [Symbol.dispose](): void {
    this.#closed.abort()
  }

  #trustOf(url: string | URL): 'configured' | 'chosen' {
    return new URL(url).host === new URL(this.#options.issuer).host ? 'configured' : 'chosen'
  }
}

function readJson(body: Uint8Array): unknown {
  try {
    return parseBoundedJson(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

function unavailable(why: string, cause?: unknown): AgentError {
  return new AgentError('sign_in_unavailable', 'Your sign-in cannot be checked just now. Try again in a moment.', {
    cause: cause ?? new Error(why),
  })
}
