import type { Seal } from '../auth/seal.ts'
import type { ServerConfig } from '../config/options.ts'
import { secretMask } from '../context/compaction/mask-secrets.ts'
import { serverSecrets } from '../memory/known-secrets.ts'
import type { Engine } from '../store/engine.ts'
import { sealedSecrets } from '../store/past-secrets.ts'
import { readStored } from '../store/stored-json.ts'

/** Takes every value out of a text that is known to be a secret. */
export type Mask = (text: string) => string

export type SessionMasks = {
  /** For what leaves the server of this session: with the values that it and its runs have, and have had. */
  of: (session_id: string) => Promise<Mask>
}

export type SessionMasksOptions = {
  engine: Engine
  seal: Pick<Seal, 'open'>
  config: ServerConfig
  /** The server's own. */
  environment: Readonly<Record<string, string | undefined>>
}

export function openSessionMasks({ engine, seal, config, environment }: SessionMasksOptions): SessionMasks {
  const own = [...serverSecrets(environment, config).map(({ value }) => value), ...(config.environmentSecrets ?? [])]
  return {
    async of(session_id) {
      const sealed = await engine.read(() => sealedSecrets(session_id))
      return secretMask([...own, ...sealed.flatMap((one) => valuesIn(one, seal))])
    },
  }
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
