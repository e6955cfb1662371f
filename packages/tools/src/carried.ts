import { isDeeper, MAX_DEPTH } from './bound-result.ts'
import type { Json } from './tool.ts'

/** A value as JSON carries it, or why that cannot be. `undefined` is `null`. */
export function carried(value: unknown): { ok: true; value: Json } | { ok: false; problem: string } {
  if (value === undefined) return { ok: true, value: null }
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    return { ok: false, problem: whyNot(error) }
  }
  if (text === undefined) return { ok: false, problem: `it is a ${typeof value}.` }
  const json = JSON.parse(text) as Json
  if (isDeeper(json)) return { ok: false, problem: TOO_DEEP }
  return { ok: true, value: json }
}

const TOO_DEEP = `it nests deeper than ${MAX_DEPTH} levels.`

/** The first line: the engine's words about a circle go on for many. */
function whyNot(error: unknown): string {
  if (error instanceof RangeError && error.message.includes('call stack')) return TOO_DEEP
  return error instanceof Error
    ? `${error.message.split('\n')[0]}.`.replace(/\.\.$/, '.')
    : 'it cannot be written down.'
}
