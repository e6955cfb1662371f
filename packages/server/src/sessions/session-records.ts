import {
  AgentError,
  openQuestions,
  type Session,
  type SessionDetail,
  type SessionStatus,
  type TurnProjection,
} from '@parley/protocol'
import type { CreateSession, SessionHistory, SessionPage, SessionQuery } from '@parley/protocol/rest'
import { createSessionSchema, sessionQuerySchema } from '@parley/protocol/schemas'
import type { Principal } from '../auth/principal.ts'
import type { Clock, Ids } from '../ports.ts'
import { appendEvents } from '../store/append.ts'
import type { Engine } from '../store/engine.ts'
import type { Journal } from '../store/journal.ts'
import { findParents, indexDocument } from '../store/search-index.ts'
import { findGate, openGate } from '../store/gate.ts'
import { deleteSessionRows } from '../store/session-rows.ts'
import { isTurn, readTurn } from '../store/read-turn.ts'
import { readStored, readStoredList } from '../store/stored-json.ts'
import { TurnFold } from '../store/turn-fold.ts'
import { run, type Work } from '../store/work.ts'
import { TURN_COLUMNS } from '../context/stored-turns.ts'
import { type Preamble, readHistory } from '../context/history.ts'
import { modelNotAvailable } from './model-not-available.ts'
import type { Runs } from '../runs/runs.ts'
import { demandSession, type SessionRow, sessionRows, toSession } from '../store/session-record.ts'
import { demandOwnSession } from './visitor-rules.ts'

export type SessionRecordsOptions = {
  engine: Engine
  journal: Journal
  runs: Runs
  clock: Clock
  ids: Ids
  hasModel: (id: string) => boolean
  /** Encrypts what must not lie in the database in the clear. */
  seal: (text: string) => string
  open: (sealed: string) => string
  /** Tables of features whose rows go with their session. */
  tables: readonly string[]
  /** What features have of a deleted session outside the database. */
  dropSession: (session_id: string) => Promise<void>
  /** What the model would be told before this session's conversation now. */
  preamble: (session: SessionRow) => Promise<Preamble>
}

/** How many sessions a text search looks at. */
const SEARCH_LIMIT = 1_000

/** Sessions as things: made, found, read, renamed and deleted. Each method is one of `Sessions`. */
export class SessionRecords {
  readonly #options: SessionRecordsOptions

  constructor(options: SessionRecordsOptions) {
    this.#options = options
  }

  async create(principal: Principal, body: CreateSession): Promise<Session> {
    const { engine, ids, clock, hasModel } = this.#options
    const fields = createSessionSchema.parse(body)
    demandOwnSession(principal, fields)
    const { intent, solution_id, biz_role_id, model, is_persistent, env, disable_tools, primary_skill_id } = fields
    if (model !== null && !hasModel(model)) throw modelNotAvailable(model)
    if (solution_id !== null || biz_role_id !== null)
      throw new AgentError('invalid_payload', 'There is no such solution or role.')
    if (primary_skill_id !== null)
      throw new AgentError(
        'invalid_payload',
        'primary_skill_id: no session starts with a skill here; the model calls them.',
      )
    const id = ids.next('sess')
    const now = new Date(clock.now()).toISOString()
    const row = {
      id,
      user_id: principal.user_id,
      intent,
      status: 'created' satisfies SessionStatus,
      mode: 'executing',
      created_at: now,
      updated_at: now,
      solution_id,
      biz_role_id,
      model,
      shared: 0,
      is_pinned: 0,
      memory_enabled: 0,
      is_persistent: is_persistent ? 1 : 0,
      replay_state: null,
      disable_tools: disable_tools === null ? null : JSON.stringify(disable_tools),
      env: env === null ? null : this.#options.seal(JSON.stringify(env)),
    }
    await engine.write(
      function* () {
        yield* run(engine.db.insertInto('sessions').values(row))
        yield* openGate(id)
        if (intent !== '')
          yield* indexDocument(engine, {
            user_id: principal.user_id,
            kind: 'session',
            parent_id: id,
            ref: 'title',
            text: intent,
          })
        return true as const
      },
      { confirm: () => exists(id) },
    )
    return toSession({ ...row, head: 0 })
  }

  async list(principal: Principal, query: SessionQuery): Promise<SessionPage> {
    const { engine } = this.#options
    const { q, limit, offset, status, template_id_prefix } = sessionQuerySchema.parse(query)
    const page = { limit, offset, content_match_truncated: false }
    if (template_id_prefix) return { ...page, items: [], total: 0 }
    return engine.read(function* () {
      let mine = sessionRows(engine).where('sessions.user_id', '=', principal.user_id)
      if (status) mine = mine.where('sessions.status', '=', status)
      if (q !== undefined && q.trim() !== '') {
        const found = yield* findParents(engine, {
          user_id: principal.user_id,
          kind: 'session',
          query: q,
          limit: SEARCH_LIMIT,
        })
        if (found.length === 0) return { ...page, items: [], total: 0 }
        page.content_match_truncated = found.length === SEARCH_LIMIT
        mine = mine.where('sessions.id', 'in', found)
      }
      const [count] = yield* run(mine.clearSelect().select((eb) => eb.fn.countAll<number>().as('n')))
      const rows = yield* run(
        mine
          .orderBy('sessions.is_pinned', 'desc')
          .orderBy('sessions.updated_at', 'desc')
          .orderBy('sessions.id')
          .limit(limit)
          .offset(offset),
      )
      return { ...page, items: rows.map(toSession), total: count?.n ?? 0 }
    })
  }

  async get(principal: Principal, session_id: string): Promise<Session> {
    const { engine } = this.#options
    return toSession(await engine.read(() => demandSession(engine, principal.user_id, session_id)))
  }

  async detail(principal: Principal, session_id: string): Promise<SessionDetail> {
    const { engine, open } = this.#options
    return engine.read(function* () {
      const row = yield* demandSession(engine, principal.user_id, session_id)
      const paused = yield* run(
        engine.db
          .selectFrom('turns')
          .select(TURN_COLUMNS)
          .where('session_id', '=', session_id)
          .where('status', '=', 'paused')
          .orderBy('sequence'),
      )
      const [pending_question = null] = openQuestions(paused.map(readTurn))
      const session = toSession(row)
      return {
        ...session,
        solution: null,
        primary_skill_snapshot: null,
        session_setup: {
          model: session.model,
          mode: session.mode,
          disable_tools:
            row.disable_tools === null ? null : ((readStoredList(row.disable_tools) as string[] | undefined) ?? null),
          memory_enabled: session.memory_enabled,
          env_keys: row.env === null ? [] : envKeys(row.env, open),
        },
        viewer_role: 'owner' as const,
        pending_question,
      }
    })
  }

  async update(
    principal: Principal,
    session_id: string,
    change: { intent?: string; is_pinned?: boolean },
  ): Promise<SessionDetail> {
    const { engine, clock, journal } = this.#options
    const { intent, ...flags } = change
    await engine.write(function* () {
      yield* demandSession(engine, principal.user_id, session_id)
      const updated_at = new Date(clock.now()).toISOString()
      const values = Object.fromEntries(Object.entries(flags).map(([name, value]) => [name, value ? 1 : 0]))
      yield* run(
        engine.db
          .updateTable('sessions')
          .set({ ...values, ...(intent !== undefined && { intent, updated_at }) })
          .where('id', '=', session_id),
      )
      if (intent === undefined) return
      yield* indexDocument(engine, {
        user_id: principal.user_id,
        kind: 'session',
        parent_id: session_id,
        ref: 'title',
        text: intent,
      })
      yield* appendEvents(journal.appending(session_id, null, [notice('session:updated', { intent, updated_at })]))
    })
    return this.detail(principal, session_id)
  }

  async delete(principal: Principal, session_id: string): Promise<void> {
    const { engine, runs, journal, tables, dropSession } = this.#options
    await engine.write(function* () {
      yield* demandSession(engine, principal.user_id, session_id)
      // Followers read this last word before they find the session gone.
      yield* appendEvents(journal.appending(session_id, null, [notice('session:deleted', {})]))
    })
    const abandoned = runs.abandon(session_id)
    await engine.write(() => deleteSessionRows(engine, session_id, tables))
    engine.hub.deleted(session_id)
    // A tool that is still at work would put its files back.
    await abandoned
    await dropSession(session_id)
  }

  async messages(
    principal: Principal,
    session_id: string,
    page: { after?: number; limit?: number } = {},
  ): Promise<TurnProjection[]> {
    const { engine, journal } = this.#options
    await engine.read(() => demandSession(engine, principal.user_id, session_id))
    const snapshot = await journal.snapshot(session_id)
    const rows = await journal.turns(session_id, page)
    const finished = rows.map(readTurn)
    const known = new Set(finished.map(({ turn_id }) => turn_id))
    const open = new TurnFold(snapshot.open).turns
      .filter(isTurn)
      .filter(({ turn_id, sequence }) => !known.has(turn_id) && sequence > (page.after ?? -1))
    const turns = [...finished, ...open].sort((a, b) => a.sequence - b.sequence)
    if (page.limit === undefined) return turns
    return page.after === undefined ? turns.slice(-page.limit) : turns.slice(0, page.limit)
  }

  async history(principal: Principal, session_id: string): Promise<SessionHistory> {
    const { engine, journal, preamble } = this.#options
    const session = await engine.read(() => demandSession(engine, principal.user_id, session_id))
    return readHistory(journal, session_id, await preamble(session))
  }
}

/** What was sealed with another secret, or is damaged, has no names to show. */
function envKeys(sealed: string, open: (sealed: string) => string): string[] {
  try {
    return Object.keys(readStored(open(sealed)) ?? {}).sort()
  } catch {
    return []
  }
}

function notice(type: string, payload: object) {
  return { type, data: JSON.stringify(payload), run_id: null, loop_id: null, turn_id: null }
}

function* exists(session_id: string): Work<true | undefined> {
  return (yield* findGate(session_id)) !== undefined || undefined
}
