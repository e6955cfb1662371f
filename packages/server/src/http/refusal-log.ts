import type { Logger } from 'pino'
import type { Problem } from '../auth/product/verify-jwt.ts'
import type { Language } from '../words/language.ts'
import { say } from '../words/phrases.ts'
import type { Refused } from './access.ts'

export type RefusalLogOptions = {
  logger: Pick<Logger, 'warn'>
  language: Language
  /** A clock that cannot be set, in milliseconds. */
  now: () => number
}

/** Whom the door sent away; of a product's token, why, and what it says there. */
type Refusal = Refused | { what: `jwt.${Problem['code']}` | 'oidc'; name: string }

/** A name is told again after this long. */
const AGAIN_MS = 10 * 60_000
/** In that time, so many names are told; who invents more of them is only counted. */
const MAX_NAMES = 20
const NAME_SHOWN = 200

/** Tells the operator whom the door sent away, and how to let them in. Nobody outside can fill the log with it. */
export function refusalLog({ logger, language, now }: RefusalLogOptions): (refused: Refusal) => void {
  const told = new Map<string, number>()
  let untold = 0
  return ({ what, name }) => {
    const at = now()
    for (const [key, since] of told) if (at - since >= AGAIN_MS) told.delete(key)
    // Whoever writes it may write to a terminal.
    const shown = name.slice(0, NAME_SHOWN).replaceAll(/\p{C}/gu, '?')
    const key = `${what} ${shown}`
    if (told.has(key)) return
    if (told.size >= MAX_NAMES) {
      untold += 1
      return
    }
    told.set(key, at)
    if (untold > 0) logger.warn(say('log.moreRefused', language, { count: untold }))
    untold = 0
    const [kind = what] = what.split('.')
    logger.warn(shown === '' ? {} : { [kind]: shown }, say(`log.${what}`, language, { [kind]: shown }))
  }
}
