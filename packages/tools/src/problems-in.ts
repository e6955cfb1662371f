import type { z } from 'zod'

/** What is wrong, each with its place. */
export function problemsIn({ issues }: z.ZodError): string[] {
  return issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
}
