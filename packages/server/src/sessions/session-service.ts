import {
  AgentError,
  type ChatSend,
  type CreateSession,
  createSessionSchema,
  emptyProjection,
  isEmptyMessage,
  isEventName,
  openQuestions,
  reduce,
  type Session,
  type SessionDetail,
  type SessionEvent,
  type SessionPage,
  type SessionQuery,
  sessionQuerySchema,
  type SessionStatus,
  type TurnProjection,
} from '@parley/protocol'
import type { JsonObject } from '../ports.ts'
import { appendEvents } from '../store/append.ts'
import { storeCommand } from '../store/commands.ts'
import type { Journal } from '../store/journal.ts'
import { findParents, indexDocument } from '../store/search-index.ts'
import { deleteSessionRows, openGate } from '../store/session-rows.ts'
import { run, runSql, type StoredEvent, type Work } from '../store/work.ts'
import {
  type Acceptance,
  type AcceptOptions,
  acceptMessage,
  bodyDigest,
  findRepeated,
  lockGate,
  openBook,
} from './accept.ts'
import { cancelQuestions } from './answers.ts'
import { storeAttachments } from './attachments.ts'
import { outputContract } from './output-contract.ts'
import type { PointHook } from './points.ts'
import type { Runs } from './runs.ts'
import type { Accepted, ChatAppend, Principal, Sessions } from './service.ts'
import { demandSession, sessionRows, toSession } from './session-record.ts'

export type SessionServiceOptions = AcceptOptions & {
  journal: Journal
  runs: Runs
  monotonicNow: () => number
  /** The model a session gets when it names none. */
  defaultModel: string
  hasModel: (id: string) => boolean
  workspace: (session_id: string) => Promise<string>
  deleteWorkspace: (session_id: string) => Promise<void>
  at?: PointHook
}

/** How many sessions a text search looks at. */
const SEARCH_LIMIT = 1_000

export class SessionService implements Sessions {
  readonly #options: SessionServiceOptions

  constructor(options: SessionServiceOptions) {
    this.#options = options
  }

  async create(principal: Principal, body: CreateSession): Promise<Session> {
    const { engine, ids, clock, hasModel } = this.#options
    const {
      intent,
      solution_id,
      biz_role_id,
      model,
      memory_enabled,
      is_persistent,
      env,
      disable_tools,
      primary_skill_id,
    } = createSessionSchema.parse(body)
    if (model !== null && !hasModel(model)) throw modelNotAvailable(model)
    if (solution_id !== null || biz_role_id !== null)
      throw new AgentError('invalid_payload', 'There is no such solution or role.')
    if (primary_skill_id !== null) throw new AgentError('invalid_payload', `There is no skill ${primary_skill_id}.`)
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
      memory_enabled: memory_enabled === false ? 0 : 1,
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
    const { engine } = this.#options
    return engine.read(function* () {
      const row = yield* demandSession(engine, principal.user_id, session_id)
      const paused = yield* run(
        engine.db
          .selectFrom('turns')
          .select('projection')
          .where('session_id', '=', session_id)
          .where('status', '=', 'paused')
          .orderBy('sequence'),
      )
      const [pending_question = null] = openQuestions(
        paused.map(({ projection }) => JSON.parse(projection) as TurnProjection),
      )
      const session = toSession(row)
      return {
        ...session,
        solution: null,
        primary_skill_snapshot: null,
        session_setup: {
          model: session.model,
          mode: session.mode,
          disable_tools: row.disable_tools === null ? null : (JSON.parse(row.disable_tools) as string[]),
          memory_enabled: session.memory_enabled,
          env_keys: [],
        },
        viewer_role: 'owner' as const,
        pending_question,
      }
    })
  }

  async update(
    principal: Principal,
    session_id: string,
    change: { intent?: string; is_pinned?: boolean; memory_enabled?: boolean; shared?: boolean },
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
    const { engine, runs, journal, deleteWorkspace } = this.#options
    await engine.write(function* () {
      yield* demandSession(engine, principal.user_id, session_id)
      // Followers read this last word before they find the session gone.
      yield* appendEvents(journal.appending(session_id, null, [notice('session:deleted', {})]))
    })
    const abandoned = runs.abandon(session_id)
    await engine.write(() => deleteSessionRows(engine, session_id))
    engine.hub.deleted(session_id)
    // A tool that is still at work would put its files back.
    await abandoned
    await deleteWorkspace(session_id)
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
    const finished = rows.map(({ projection }) => JSON.parse(projection) as TurnProjection)
    const known = new Set(finished.map(({ turn_id }) => turn_id))
    const open = openTurns(snapshot.open).filter(
      ({ turn_id, sequence }) => !known.has(turn_id) && sequence > (page.after ?? -1),
    )
    const turns = [...finished, ...open].sort((a, b) => a.sequence - b.sequence)
    if (page.limit === undefined) return turns
    return page.after === undefined ? turns.slice(-page.limit) : turns.slice(0, page.limit)
  }

  async send(principal: Principal, command: ChatSend): Promise<Accepted> {
    const { engine, ids, runs, monotonicNow, at } = this.#options
    const session = await this.get(principal, command.session_id)
    if (command.output_schema) await outputContract(command.output_schema as JsonObject)
    const model = this.#modelFor(command, session)
    if (!command.askuser_answer && isEmptyMessage(command.message) && session.status !== 'running')
      throw new AgentError('invalid_payload', 'The message is empty.')
    const digest = bodyDigest(command)
    const repeated = await engine.read(() => findRepeated(engine, principal.user_id, { ...command, digest }))
    if (repeated) return { session_id: session.id, run_id: repeated.run_id, since: repeated.since }
    const message = await storeAttachments(command.message, session.id, () => this.#options.workspace(session.id))
    const checked = { ...command, message, digest }
    const run_id = ids.next('chat')
    const sentAt = monotonicNow()
    await at?.('before:C1')
    const acceptance = await engine.write(
      () => acceptMessage(checked, principal.user_id, run_id, model, this.#options),
      {
        confirm: () => findAccepted(run_id, this.#options.owner),
      },
    )
    await at?.('after:C1')
    if (acceptance.lease) runs.begin(acceptance.lease, sentAt, true)
    else this.#tellOwner(command.session_id)
    return { session_id: command.session_id, run_id: acceptance.run_id, since: acceptance.since }
  }

  async stop(principal: Principal, session_id: string, run_id?: string): Promise<boolean> {
    const { engine, runs } = this.#options
    const outcome = await engine.write(() => this.#requestStop(principal, session_id, run_id))
    if (typeof outcome === 'object') {
      runs.stop(session_id, outcome.run_id)
      this.#tellOwner(session_id)
    }
    return outcome !== 'nothing'
  }

  async append(principal: Principal, { session_id, message, client_message_id }: ChatAppend): Promise<void> {
    const { engine, ids, workspace } = this.#options
    if (isEmptyMessage(message)) throw new AgentError('invalid_payload', 'The message is empty.')
    await this.get(principal, session_id)
    const stored = await storeAttachments(message, session_id, () => workspace(session_id))
    const id = `append:${client_message_id ?? ids.next('cmd')}`
    await engine.write(
      function* () {
        yield* demandSession(engine, principal.user_id, session_id)
        const gate = yield* lockGate(session_id)
        // The same message again is accepted again, also when its run is over.
        if (yield* commandStored(session_id, id)) return true as const
        if (gate.run_id === null)
          throw new AgentError('not_running', `Session ${session_id} is not running; use chat:send.`)
        yield* storeCommand({ session_id, id, kind: 'append', data: JSON.stringify({ message: stored }) })
        return true as const
      },
      { confirm: () => commandStored(session_id, id) },
    )
    this.#tellOwner(session_id)
  }

  *#requestStop(
    principal: Principal,
    session_id: string,
    run_id: string | undefined,
  ): Work<{ run_id: string } | 'withdrawn' | 'nothing'> {
    const { engine, clock, journal } = this.#options
    const session = yield* demandSession(engine, principal.user_id, session_id)
    const gate = yield* lockGate(session_id)
    if (gate.run_id !== null) {
      if (run_id !== undefined && run_id !== gate.run_id) return 'nothing'
      yield* runSql('UPDATE gates SET stop_requested = 1 WHERE session_id = ?', [session_id])
      return { run_id: gate.run_id }
    }
    const [waiting] = yield* run(
      engine.db.selectFrom('runs').select('id').where('session_id', '=', session_id).where('status', '=', 'waiting'),
    )
    if (!waiting || (run_id !== undefined && run_id !== waiting.id)) return 'nothing'
    // Nothing runs, so nothing ends: what waited is withdrawn.
    const book = yield* openBook(session, waiting.id, 0, this.#options)
    cancelQuestions(book)
    const updated_at = new Date(clock.now()).toISOString()
    book.notify('session:updated', { status: 'interrupted', updated_at })
    const { events, turns } = book.take()
    yield* appendEvents(journal.appending(session_id, null, events, turns))
    yield* runSql("UPDATE runs SET status = 'ended', secrets = NULL WHERE id = ?", [waiting.id])
    yield* runSql("UPDATE sessions SET status = 'interrupted', updated_at = ? WHERE id = ?", [updated_at, session_id])
    return 'withdrawn'
  }

  #modelFor(command: ChatSend, session: Session): string {
    const { hasModel, defaultModel } = this.#options
    if (command.model !== null && !hasModel(command.model)) throw modelNotAvailable(command.model)
    if (command.model !== null) return command.model
    return session.model !== null && hasModel(session.model) ? session.model : defaultModel
  }

  /** Here at once; elsewhere by a hint, and by the owner's own look every half second. */
  #tellOwner(session_id: string): void {
    this.#options.runs.nudge(session_id)
    this.#options.engine.nudge(session_id)
  }
}

/** The turns under way, folded from what the journal has of them. */
function openTurns(events: readonly StoredEvent[]): readonly TurnProjection[] {
  let projection = emptyProjection
  for (const { type, data, session_id, event_seq } of events)
    if (isEventName(type))
      projection = reduce(projection, {
        name: type,
        payload: { ...(JSON.parse(data) as object), session_id, event_seq },
      } as SessionEvent)
  return projection.turns
}

function notice(type: string, payload: object) {
  return { type, data: JSON.stringify(payload), run_id: null, loop_id: null, turn_id: null }
}

function* exists(session_id: string): Work<true | undefined> {
  const rows = yield* runSql('SELECT session_id FROM gates WHERE session_id = ?', [session_id])
  return rows.length > 0 || undefined
}

function* commandStored(session_id: string, id: string): Work<true | undefined> {
  const rows = yield* runSql('SELECT id FROM commands WHERE session_id = ? AND id = ?', [session_id, id])
  return rows.length > 0 || undefined
}

function* findAccepted(run_id: string, owner: string): Work<Acceptance | undefined> {
  const [found] = yield* runSql<{ first_seq: number; session_id: string; epoch: number; isOurs: number }>(
    `SELECT r.first_seq, g.session_id, g.epoch, CASE WHEN g.run_id = r.id AND g.owner = ? THEN 1 ELSE 0 END AS "isOurs"
      FROM runs r JOIN gates g ON g.session_id = r.session_id WHERE r.id = ?`,
    [owner, run_id],
  )
  if (!found) return undefined
  const { first_seq, session_id, epoch, isOurs } = found
  // Whoever has taken it over meanwhile keeps it: two owners with one epoch would not be fenced from each other.
  return { run_id, since: first_seq - 1, ...(isOurs === 1 && { lease: { session_id, run_id, epoch } }) }
}

function modelNotAvailable(model: string): AgentError {
  return new AgentError(
    'model_not_available',
    `There is no model ${model}; GET /api/config/models lists those that are.`,
    { details: { model } },
  )
}
