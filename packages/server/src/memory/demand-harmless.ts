import { AgentError } from '@parley/protocol'
import type { KnownSecret } from '../config/server-secrets.ts'
import { secretShapeIn } from './secret-shapes.ts'

/** Refuses what is, or looks like, a secret; the refusal names the field and the secret, and never shows it. */
export function demandHarmless(fields: Readonly<Record<string, unknown>>, known: readonly KnownSecret[]): void {
  for (const [field, text] of Object.entries(fields)) {
    if (typeof text !== 'string' || text === '') continue
    const held = known.find(({ value }) => holds(text, value))
    if (held) throw refusal(field, `contains the value of ${held.name}`, { secret: held.name })
    const shape = secretShapeIn(text)
    if (shape) throw refusal(field, `looks like ${shape}`, { secret: shape })
  }
}

/** Also with spaces or line breaks put into it. */
function holds(text: string, value: string): boolean {
  const written = compact(value)
  return written !== '' && compact(text).includes(written)
}

function compact(text: string): string {
  return text.replace(/[\s\u200b-\u200d\u2060\ufeff]+/gu, '')
}

function refusal(field: string, why: string, details: { secret: string }): AgentError {
  return new AgentError('invalid_payload', `${field}: This ${why}. Secrets are not kept as memories.`, {
    details: { field, ...details },
  })
}
