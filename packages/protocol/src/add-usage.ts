import type { Usage } from './usage.ts'

/** Sum of two counts; null counts as nothing, two nulls stay null. */
export function addUsage(a: Usage | null, b: Usage | null): Usage | null {
  if (!a || !b) return a ?? b
  const read = (a.cache_read_tokens ?? 0) + (b.cache_read_tokens ?? 0)
  const write = (a.cache_write_tokens ?? 0) + (b.cache_write_tokens ?? 0)
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    ...(read > 0 && { cache_read_tokens: read }),
    ...(write > 0 && { cache_write_tokens: write }),
  }
}
