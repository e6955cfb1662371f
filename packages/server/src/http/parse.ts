import { AgentError } from '@parley/protocol'
import type { z } from 'zod'
import { type UnknownField, unknownFields } from './unknown-fields.ts'

/** At most this many fields and problems are named, each with at most this many characters. */
export const MAX_NAMED = 20
const MAX_NAME = 100

/**
 * The value as its schema reads it, or `invalid_payload` with every problem named. A field that the schema does not know
 * is refused by name where the payload is our own (`z.strictObject`); in payloads of the specifications and the origin (`z.object`)
 * it is ignored, and `onIgnored` is told its name, also when the payload is refused for something else.
 */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  onIgnored: (names: string[]) => void,
): z.output<Schema> {
  const unknown = firstOf(unknownFields(schema, value))
  const refused = unknown.filter(isRefused)
  const ignored = unknown.filter((field) => !isRefused(field)).map(({ path }) => cut(path.join('.')))
  if (ignored.length > 0) onIgnored(ignored)
  const parsed = schema.safeParse(value)
  if (parsed.success && refused.length === 0) return parsed.data
  // A list as long as what was sent would be one more thing to send.
  const misfits = (parsed.error?.issues ?? []).filter(({ code }) => code !== 'unrecognized_keys').slice(0, MAX_NAMED)
  const errors = [
    ...refused.map((field) => ({ loc: field.path.map(cut), msg: whyRefused(field) })),
    ...misfits.map(({ path, message }) => ({ loc: path.map(keyOf), msg: message })),
  ]
  const detail = errors.map(({ loc, msg }) => (loc.length > 0 ? `${loc.join('.')}: ${msg}` : msg)).join('; ')
  throw new AgentError('invalid_payload', detail, { details: { errors } })
}

function firstOf(fields: Iterable<UnknownField>): UnknownField[] {
  const first: UnknownField[] = []
  for (const field of fields) if (first.push(field) === MAX_NAMED) break
  return first
}

/** Wherever it stands: consent to other arguments than the ones that were meant is no consent. */
function isRefused({ isRefused, nearest }: UnknownField): boolean {
  return isRefused || nearest === 'edited_arguments'
}

function whyRefused({ nearest, known }: UnknownField): string {
  if (nearest !== undefined) return `There is no such field; did you mean ${nearest}?`
  return `There is no such field; ${known.length > 0 ? `known are ${known.join(', ')}` : 'none is known'}.`
}

function cut(name: string): string {
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME)}…`
}

function keyOf(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key
}
