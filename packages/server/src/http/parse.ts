import { AgentError } from '@parley/protocol'
import type { z } from 'zod'

/** The value as its schema reads it, or `invalid_payload` with every problem named. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const errors = parsed.error.issues.map(({ path, message }) => ({ loc: path.map(nameOf), msg: message }))
  const detail = errors.map(({ loc, msg }) => (loc.length > 0 ? `${loc.join('.')}: ${msg}` : msg)).join('; ')
  throw new AgentError('invalid_payload', detail, { details: { errors } })
}

function nameOf(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key
}
