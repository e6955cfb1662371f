import { parseBoundedJson } from '@parley/protocol/wire'
import { z } from 'zod'
import type { Egress } from '../egress/egress.ts'
import { apiUrl } from '../models/api-url.ts'

/** Turns texts into vectors of length 1 whose product tells how near their meanings are. */
export type Embedder = {
  /** Vectors of different models cannot be compared. */
  model: string
  embed: (texts: readonly string[], signal: AbortSignal) => Promise<Float32Array[]>
}

export type EmbedderOptions = { url: string; model: string; key?: string | undefined; egress: Egress }

/** Texts of one request; a passage has a few hundred characters. */
export const TEXTS_AT_ONCE = 64
const TIMEOUT_MS = 60_000
const MAX_DIMENSIONS = 8_192
/** A number may take some twenty characters. */
const MAX_BYTES = 32 * 1024 * 1024

const answerSchema = z.object({
  data: z.array(
    z.object({ index: z.int().min(0).optional(), embedding: z.array(z.number()).min(1).max(MAX_DIMENSIONS) }),
  ),
})

/** Any endpoint that speaks like OpenAI's `/embeddings`. */
export function openEmbedder({ url, model, key, egress }: EmbedderOptions): Embedder {
  const endpoint = apiUrl(url)
  endpoint.pathname = `${endpoint.pathname.replace(/\/$/, '')}/embeddings`
  return {
    model,
    async embed(texts, signal) {
      const { status, body, isTruncated } = await egress.request(endpoint, {
        method: 'POST',
        trust: 'configured',
        headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify({ model, input: texts }),
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
        staysOnHost: true,
        signal,
      })
      if (status !== 200 || isTruncated)
        throw new Error(`${endpoint.host} answered ${status} to a request for embeddings.`)
      const parsed = answerSchema.safeParse(parseBoundedJson(Buffer.from(body).toString()))
      if (!parsed.success || parsed.data.data.length !== texts.length)
        throw new Error(`${endpoint.host} answered with no embeddings, or not with as many as were asked for.`)
      const ordered = parsed.data.data.map((each, place) => ({ ...each, place: each.index ?? place }))
      return ordered.sort((a, b) => a.place - b.place).map(({ embedding }) => ofLengthOne(embedding))
    },
  }
}

function ofLengthOne(numbers: readonly number[]): Float32Array {
  const length = Math.hypot(...numbers)
  if (!(length > 0) || !Number.isFinite(length)) throw new Error('An embedding has no length.')
  return Float32Array.from(numbers, (number) => number / length)
}

/** [S15.3] `max(0, cosine)`; vectors of another length are of another model. */
export function nearness(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += a[index]! * b[index]!
  return Math.max(0, Math.min(1, sum))
}
