import type { z } from 'zod'

/** What is wrong, each with its place; `whole` is what no place stands for. */
export function problemsIn({ issues }: z.ZodError, whole = 'arguments'): string[] {
  return issues.map(({ path, message }) => `${path.join('.') || whole}: ${message}`)
}
