import { isDeeper } from '@parley/protocol/wire'
import type { JsonObject, Usage } from '../ports.ts'
import type { AnswerMeter } from './answer-meter.ts'

// A provider's bytes are data: these say what of them we take, for every wire.

/** An answer costs less, and sums of such counts stay exact. */
const MAX_COUNT = 1_000_000_000_000
/** Some gateways hide a signature in an id. */
const MAX_ID_CHARACTERS = 10_000
/** No provider allows tools with names as long. */
const MAX_NAME_CHARACTERS = 200
/** Less than a chunk may nest: it is stored and sent inside of other things. */
const MAX_METADATA_DEPTH = 50

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads a provider's token counts. One that is no count is as if it were not there; none at all is `null`. */
export function usageFrom(counts: {
  input: unknown
  output: unknown
  cacheRead?: unknown
  cacheWrite?: unknown
}): Usage | null {
  const [input, output] = [countIn(counts.input), countIn(counts.output)]
  if (input === undefined && output === undefined) return null
  const [read, written] = [countIn(counts.cacheRead), countIn(counts.cacheWrite)]
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    ...(read ? { cache_read_tokens: read } : {}),
    ...(written ? { cache_write_tokens: written } : {}),
  }
}

export function countIn(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_COUNT ? Number(value) : undefined
}

/** An id that can go back: `''`, and later a new one, for what is none or too long to be one. */
export function idIn(value: unknown): string {
  return typeof value === 'string' && value.length <= MAX_ID_CHARACTERS ? value : ''
}

export function nameIn(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_NAME_CHARACTERS) : ''
}

/** What the provider wants back, unless nobody could store it; counted, because it is kept. */
export function metadataIn(value: unknown, meter: AnswerMeter): JsonObject | undefined {
  if (!isRecord(value) || isDeeper(value, MAX_METADATA_DEPTH)) return undefined
  meter.keep(JSON.stringify(value).length)
  return value as JsonObject
}
