import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock, Ids } from './ports.ts'

export const clock: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
}

export const ids: Ids = {
  next: (prefix) =>
    prefix === 'agent' ? `agent:${randomBytes(4).toString('hex')}` : `${prefix}_${randomBytes(12).toString('hex')}`,
}
