import { AgentError, type Mode, type SessionStatus } from '@parley/protocol'
import type { CreateSession, SkillSnapshot } from '@parley/protocol/rest'
import { createSessionSchema } from '@parley/protocol/schemas'
import type { Insertable } from 'kysely'
import type { Principal } from '../auth/principal.ts'
import type { Clock, Ids } from '../ports.ts'
import { tellOfSession } from '../store/account-changes.ts'
import { storeAlias } from '../store/aliases.ts'
import type { Engine } from '../store/engine.ts'
import { findGate, openGate } from '../store/gate.ts'
import type { Schema } from '../store/schema.ts'
import { toSession } from '../store/session-record.ts'
import { indexTitle } from '../store/session-title.ts'
import { run, type Work } from '../store/work.ts'
import { aliasOf, findNamed } from './names.ts'
import { modelNotAvailable } from './model-not-available.ts'
import type { Sessions } from './service.ts'
import { demandOwnSession } from './visitor-rules.ts'

export type CreateOptions = {
  engine: Engine
  clock: Clock
  ids: Ids
  hasModel: (id: string) => Promise<boolean>
  agents: SessionAgents
  /** A skill that a session of this kind may begin with; throws `invalid_payload`. */
  findSkill: (id: string, session: SessionAgent & { session_id: string }) => Promise<SkillSnapshot>
  /** Whether anything is remembered here at all. */
  hasMemory: boolean
  /** Encrypts what must not lie in the database in the clear. */
  seal: (text: string) => string
}

/** Columns of a session; all but the mode are `null` where the configuration answers. */
type SessionAgent = { agent: string | null; agent_digest: string | null; biz_role_id: string | null }

type Wanted = { agent: string | null; solution_id: string | null; biz_role_id: string | null; isVisitor: boolean }

export type SessionAgents = {
  /** What a session that begins now gets; throws `agent_not_available`, and `invalid_payload` for no such solution or role. */
  choose: (wanted: Wanted) => Promise<SessionAgent & { mode: Mode }>
  /** Whether that is still so, in the transaction that makes the session. */
  isStillChosen: (chosen: SessionAgent) => Work<boolean>
}

/** An agent that changes more often than that between two statements is no longer being edited by a person. */
const ATTEMPTS = 5

export function createSession(options: CreateOptions): Sessions['create'] {
  const { engine } = options
  return async (principal, body, origin) => {
    const beginning = origin && 'rows' in origin ? origin : undefined
    const alias = origin && 'kind' in origin ? aliasOf(principal, origin) : undefined
    const known = alias && (await findNamed(alias, engine))
    if (known) return known
    const draft = await draftSession(principal, body, options)
    const id = beginning?.session_id ?? draft.row.id
    const row = { ...draft.row, id }
    for (let attempt = 1; ; attempt++) {
      const begun = { ...row, ...(await draft.choose(id)) }
      const stored = await engine.write(
        function* (): Work<'stored' | 'taken' | 'again'> {
          if (!(yield* isUpToDate(begun, attempt, options))) return 'again'
          if (alias && !(yield* storeAlias(alias, { session_id: id, run_id: null }))) return 'taken'
          yield* storeSession(begun, engine)
          if (beginning) yield* beginning.rows()
          return 'stored'
        },
        { confirm: () => exists(id) },
      )
      if (stored === 'stored') return toSession({ ...begun, head: 0 })
      // Somebody else was first: theirs it is, unless it is gone by now.
      const taken = stored === 'taken' && (await findNamed(alias!, engine))
      if (taken) return taken
    }
  }
}

/** A session that is checked and not stored; its agent and its skill are chosen right before that. */
export async function draftSession(
  principal: Principal,
  body: CreateSession,
  { ids, clock, hasModel, agents, findSkill, hasMemory, seal }: CreateOptions,
) {
  const fields = createSessionSchema.parse(body)
  demandOwnSession(principal, fields)
  const { intent, agent, solution_id, biz_role_id, model, is_persistent, env, disable_tools, primary_skill_id } = fields
  if (model !== null && !(await hasModel(model))) throw modelNotAvailable(model)
  if (biz_role_id !== null && solution_id === null) throw refused('biz_role_id', 'goes with a solution_id.')
  if (agent !== null && solution_id !== null) throw refused('agent', 'goes without a solution_id, which is one itself.')
  const now = new Date(clock.now()).toISOString()
  const row = {
    id: ids.next('sess'),
    user_id: principal.user_id,
    intent,
    status: 'created' satisfies SessionStatus,
    created_at: now,
    updated_at: now,
    solution_id,
    model,
    shared: 0,
    is_pinned: 0,
    memory_enabled: hasMemory && (fields.memory_enabled ?? true) ? 1 : 0,
    is_persistent: is_persistent ? 1 : 0,
    replay_state: null,
    disable_tools: disable_tools === null ? null : JSON.stringify(disable_tools),
    env: env === null ? null : seal(JSON.stringify(env)),
  }
  const wanted = { agent, solution_id, biz_role_id, isVisitor: principal.scopes !== undefined }
  const choose = async (session_id: string) => {
    const chosen = await agents.choose(wanted)
    const skill = primary_skill_id === null ? null : await findSkill(primary_skill_id, { session_id, ...chosen })
    return { ...chosen, primary_skill: skill && JSON.stringify(skill) }
  }
  return { row, choose }
}

type BegunSession = Insertable<Schema['sessions']> & SessionAgent

/** `false`: its agent has another version by now, and should be chosen anew. */
export function* isUpToDate(
  begun: SessionAgent,
  attempt: number,
  { agents }: Pick<CreateOptions, 'agents'>,
): Work<boolean> {
  return attempt >= ATTEMPTS || (yield* agents.isStillChosen(begun))
}

export function* storeSession(begun: BegunSession, engine: Engine): Work<void> {
  yield* run(engine.db.insertInto('sessions').values(begun))
  yield* openGate(begun.id)
  yield* tellOfSession(begun.user_id, begun.id)
  if (begun.intent !== '') yield* indexTitle(engine, begun, begun.intent)
}

function refused(field: string, sentence: string): AgentError {
  return new AgentError('invalid_payload', `${field}: ${sentence}`, {
    details: { errors: [{ loc: [field], msg: sentence }] },
  })
}

function* exists(session_id: string): Work<'stored' | undefined> {
  return (yield* findGate(session_id)) === undefined ? undefined : 'stored'
}
