import { AgentError, type Session } from '@parley/protocol'
import type { Principal } from '../auth/principal.ts'
import { type Alias, findAlias } from '../store/aliases.ts'
import type { Engine } from '../store/engine.ts'
import { sessionRows, toSession } from '../store/session-record.ts'
import { run } from '../store/work.ts'
import type { ClientName, Sessions } from './service.ts'

const MAX_CHARACTERS = 256

/** The session that a client has given this name; `undefined` before its first use. */
export function findByName({ engine }: { engine: Engine }): Sessions['find'] {
  return (principal, name) => findNamed(aliasOf(principal, name), engine)
}

export function findNamed(alias: Alias, engine: Engine): Promise<Session | undefined> {
  return engine.read(function* () {
    const named = yield* findAlias(alias)
    if (!named) return undefined
    const [row] = yield* run(
      sessionRows(engine).where('sessions.id', '=', named.session_id).where('sessions.user_id', '=', alias.user_id),
    )
    return row && toSession(row)
  })
}

/** A name means something to one user only. [F1.3] */
export function aliasOf({ user_id }: Principal, { kind, id }: ClientName): Alias {
  if (id === '' || id.length > MAX_CHARACTERS || /\p{Cc}/u.test(id) || !id.isWellFormed())
    throw new AgentError(
      'invalid_payload',
      `A name has 1 to ${MAX_CHARACTERS} characters, none of them a control character.`,
    )
  return { user_id, kind, external_id: id }
}
