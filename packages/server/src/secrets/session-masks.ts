import { setImmediate } from 'node:timers/promises'
import type { Seal } from '../auth/seal.ts'
import { storedSecrets } from '../auth/stored-secrets.ts'
import type { KnownSecret } from '../config/server-secrets.ts'
import { secretMask } from '../context/compaction/mask-secrets.ts'
import type { Engine } from '../store/engine.ts'
import { sealedSecrets } from '../store/past-secrets.ts'
import { readStored } from '../store/stored-json.ts'

/** So many are opened before others get their turn: some milliseconds. */
const PIECE = 20

/** Takes every value out of a text that is known to be a secret. */
export type Mask = (text: string) => string

export type SessionMasks = {
  /** For what leaves the server of this session: with the values that it and its runs have, and have had. */
  of: (session_id: string) => Promise<Mask>
  /** The values themselves. */
  values: (session_id: string) => Promise<string[]>
}

export type SessionMasksOptions = {
  engine: Engine
  /** Of what sessions and runs were given. */
  seal: Pick<Seal, 'open'>
  sealFor: (purpose: string) => Pick<Seal, 'open'>
  /** The server's own. */
  own: readonly KnownSecret[]
}

export function openSessionMasks({ engine, seal, sealFor, own }: SessionMasksOptions): SessionMasks {
  const values = async (session_id: string) => {
    const { known, sealed } = await engine.read(function* () {
      return { known: yield* storedSecrets(sealFor), sealed: yield* sealedSecrets(session_id) }
    })
    const found = [...own, ...known].map(({ value }) => value)
    for (const [at, one] of sealed.entries()) {
      found.push(...valuesIn(one, seal))
      if (at % PIECE === PIECE - 1) await setImmediate()
    }
    return found
  }
  return { values, of: async (session_id) => secretMask(await values(session_id)) }
}

/** What was sealed with another secret, or is damaged, no run could have shown either. */
function valuesIn(sealed: string, seal: Pick<Seal, 'open'>): string[] {
  try {
    return Object.values(readStored(seal.open(sealed)) ?? {}).filter((value) => typeof value === 'string')
  } catch {
    return []
  }
}

/** The same value with every text in it masked, names of fields included. */
export function maskValue<T>(value: T, mask: Mask): T {
  return masked(value, mask) as T
}

function masked(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((item) => masked(item, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [mask(name), masked(held, mask)]))
}
