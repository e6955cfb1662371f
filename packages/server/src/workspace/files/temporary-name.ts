import { randomUUID } from 'node:crypto'

const TEMPORARY = /^\.parley-[0-9a-f-]{36}\.tmp$/

/** A name for what is made beside its place and then put there. What a crash leaves of it is known by that name. */
export function temporaryName(): string {
  return `.parley-${randomUUID()}.tmp`
}

export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name)
}
