import { createHash } from 'node:crypto'

/** What every model provider accepts as the name of a tool. */
export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/

const LONGEST = 64
const HASH_LENGTH = 8

/**
 * A name that every provider accepts, made of foreign ones: `mcp__files__read`. Where letters had to be replaced or cut,
 * or where the parts could be told apart in two ways, a hash of the foreign names follows: different tools get different
 * names, and always the same ones.
 */
export function safeToolName(...parts: string[]): string {
  const wanted = parts.join('__')
  const plain = wanted.replaceAll(/[^a-zA-Z0-9_-]/g, '_')
  if (plain === wanted && TOOL_NAME.test(plain) && !isAmbiguous(parts)) return plain
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, HASH_LENGTH)
  return `${plain.slice(0, LONGEST - HASH_LENGTH - 1)}_${hash}`
}

function isAmbiguous(parts: readonly string[]): boolean {
  const isOpenBefore = parts.slice(0, -1).some((part) => part.includes('__') || part.endsWith('_'))
  return isOpenBefore || parts.slice(1).some((part) => part.startsWith('_'))
}
