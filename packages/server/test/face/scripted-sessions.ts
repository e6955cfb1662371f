import { randomUUID } from 'node:crypto'
import { AgentError, type Branch, type Session, type SessionDetail, type TurnProjection } from '@parley/protocol'
import type { ChatSend } from '@parley/protocol/wire'
import { createSessionSchema } from '@parley/protocol/schemas'
import type { Principal } from '../../src/auth/principal.ts'
import type { Accepted, ChatAppend, Sessions } from '../../src/sessions/service.ts'
import { appendEvents } from '../../src/store/append.ts'
import type { Engine } from '../../src/store/engine.ts'
import type { Journal } from '../../src/store/journal.ts'
import { beginRun, openGate } from '../../src/store/gate.ts'
import { deleteSessionRows } from '../../src/store/session-rows.ts'
import { run, runSql } from '../../src/store/work.ts'
import { ScriptedRun } from './scripted-run.ts'

/** Sessions on a real store, whose runs do what the test tells them. */
export class ScriptedSessions implements Sessions {
  readonly calls: { method: string; args: unknown[] }[] = []
  readonly #engine: Engine
  readonly #journal: Journal
  readonly #runs: ScriptedRun[] = []
  readonly #wanted: ((run: ScriptedRun) => void)[] = []
  readonly #stopped: { run_id: string | undefined; resolve: () => void }[] = []
  /** What happens between the commit and the answer of `send`. */
  afterCommit: () => Promise<void> = async () => {}

  constructor(engine: Engine, journal: Journal) {
    this.#engine = engine
    this.#journal = journal
  }

  /** The next run that `send` starts, or has started. */
  async nextRun(): Promise<ScriptedRun> {
    return this.#runs.shift() ?? new Promise((resolve) => this.#wanted.push(resolve))
  }

  /** Resolves when somebody stops the run. */
  async stopOf(run_id: string): Promise<void> {
    if (this.calls.some(({ method, args }) => method === 'stop' && args[2] === run_id)) return
    await new Promise<void>((resolve) => this.#stopped.push({ run_id, resolve }))
  }

  async history(): Promise<never> {
    throw new AgentError('not_found', 'There is no history here.')
  }

  async compact(): Promise<never> {
    throw new AgentError('compaction_not_needed', 'There is nothing to compact here.')
  }

  async checkpoints(): Promise<never[]> {
    return []
  }

  async checkout(): Promise<never> {
    throw new AgentError('not_found', 'There are no checkpoints here.')
  }

  async rewind(): Promise<never> {
    throw new AgentError('not_found', 'There are no checkpoints here.')
  }

  async switchBranch(): Promise<never> {
    throw new AgentError('not_found', 'There are no checkpoints here.')
  }

  async contextStats(): Promise<never> {
    throw new AgentError('not_found', 'There are no numbers here.')
  }

  async begin(): Promise<never> {
    throw new AgentError('not_supported', 'Nothing begins by itself here.')
  }

  expireWait(): never {
    throw new AgentError('not_supported', 'Nobody waits here.')
  }

  async tokens(): Promise<never> {
    throw new AgentError('not_found', 'There is no tokenizer here.')
  }

  async decide(): Promise<never> {
    throw new AgentError('not_found', 'There are no confirmations here.')
  }

  async inbox() {
    return []
  }

  async inboxItem(): Promise<never> {
    throw new AgentError('not_found', 'Nothing waits here.')
  }

  async confirmations() {
    return { items: [], total: 0 }
  }

  async find(): Promise<undefined> {}

  async answerExpired(): Promise<never> {
    throw new AgentError('ask_not_pending', 'Nothing is asked here.')
  }

  async findRun(): Promise<undefined> {}

  async findEvent(): Promise<undefined> {}

  async create({ user_id }: Principal, body: object): Promise<Session> {
    const { intent, model } = createSessionSchema.parse(body)
    if (model === 'none') throw new AgentError('model_not_available', 'There is no model none.')
    const id = `sess_${randomUUID()}`
    await this.#engine.write(function* () {
      yield* runSql(
        `INSERT INTO sessions (id, user_id, intent, status, mode, created_at, updated_at, memory_enabled) VALUES (?, ?, ?, 'created', 'executing', 't', 't', 0)`,
        [id, user_id, intent],
      )
      yield* openGate(id)
    })
    return this.get({ user_id }, id)
  }

  async list({ user_id }: Principal, { limit = 20, offset = 0 }: { limit?: unknown; offset?: unknown }) {
    const rows = await this.#engine.select<{ id: string }>('SELECT id FROM sessions WHERE user_id = ?', [user_id])
    const items = await Promise.all(rows.map(({ id }) => this.get({ user_id }, id)))
    const page = { limit: Number(limit), offset: Number(offset), next: null, content_match_truncated: false }
    return { items, total: items.length, ...page }
  }

  async get({ user_id }: Principal, session_id: string): Promise<Session> {
    const query = this.#engine.db
      .selectFrom('sessions')
      .innerJoin('gates', 'gates.session_id', 'sessions.id')
      .selectAll('sessions')
      .select('gates.head')
      .where('sessions.id', '=', session_id)
      .where('user_id', '=', user_id)
    const [row] = await this.#engine.read(() => run(query))
    if (!row) throw new AgentError('session_not_found', `There is no session ${session_id}.`)
    const { head, disable_tools: _tools, env: _env, ...session } = row
    const flags = {
      shared: row.shared === 1,
      is_pinned: row.is_pinned === 1,
      memory_enabled: row.memory_enabled === 1,
      is_persistent: false,
    }
    return { ...session, ...flags, last_event_seq: head, replay_state: null } as Session
  }

  async detail(principal: Principal, session_id: string): Promise<SessionDetail> {
    const session = await this.get(principal, session_id)
    const { model, mode, memory_enabled } = session
    const session_setup = { model, mode, disable_tools: null, memory_enabled, env_keys: [] }
    return {
      ...session,
      solution: null,
      primary_skill_snapshot: null,
      session_setup,
      viewer_role: 'owner',
      pending_question: null,
    }
  }

  async update(
    principal: Principal,
    session_id: string,
    change: Record<string, string | boolean>,
  ): Promise<SessionDetail> {
    await this.get(principal, session_id)
    for (const [name, value] of Object.entries(change))
      await this.#engine.write(() =>
        runSql(`UPDATE sessions SET ${name} = ? WHERE id = ?`, [
          typeof value === 'string' ? value : Number(value),
          session_id,
        ]),
      )
    return this.detail(principal, session_id)
  }

  async delete(principal: Principal, session_id: string): Promise<void> {
    await this.get(principal, session_id)
    await this.#engine.write(() => deleteSessionRows(this.#engine, session_id, []))
    this.#engine.hub.deleted(session_id)
  }

  async branch(): Promise<Branch> {
    return { branch_id: 'main', path: [{ from: 0, to: null }] }
  }

  async messages(
    principal: Principal,
    session_id: string,
    page: { after?: number; limit?: number } = {},
  ): Promise<TurnProjection[]> {
    await this.get(principal, session_id)
    return (await this.#journal.turns(session_id, page)).map(
      ({ projection }) => JSON.parse(projection) as TurnProjection,
    )
  }

  async send({ user_id }: Principal, command: ChatSend): Promise<Accepted> {
    this.calls.push({ method: 'send', args: [{ user_id }, command] })
    const { session_id, client_message_id } = command
    await this.get({ user_id }, session_id)
    const [known] = await this.#engine.select<{ id: string; first_seq: number }>(
      'SELECT id, first_seq FROM runs WHERE session_id = ? AND client_message_id = ?',
      [session_id, client_message_id],
    )
    if (known) return { session_id, run_id: known.id, since: known.first_seq - 1 }
    const run_id = `chat_${randomUUID()}`
    const journal = this.#journal
    const start = { type: 'chat:start', data: JSON.stringify({ run_id }), run_id, loop_id: null, turn_id: null }
    const hidden = { type: 'run:model_call', data: '{}', run_id, loop_id: null, turn_id: null }
    const { lease, since } = await this.#engine.write(function* () {
      const begun = yield* beginRun({ session_id, run_id }, 'one', 60_000)
      if (!begun)
        throw new AgentError('session_busy', 'This session is already running.', {
          details: { session_id, run_id: 'chat_other' },
        })
      const { head } = yield* appendEvents(journal.appending(session_id, begun.epoch, [start, hidden]))
      yield* runSql(
        `INSERT INTO runs (id, session_id, principal, client_message_id, status, options, needs, first_seq) VALUES (?, ?, ?, ?, 'active', '{}', '{}', ?)`,
        [run_id, session_id, user_id, client_message_id, head - 1],
      )
      yield* runSql(`UPDATE sessions SET status = 'running' WHERE id = ?`, [session_id])
      return { lease: begun, since: head - 2 }
    })
    await this.afterCommit()
    const scripted = new ScriptedRun(this.#engine, this.#journal, lease)
    const wanted = this.#wanted.shift()
    if (wanted) wanted(scripted)
    else this.#runs.push(scripted)
    return { session_id, run_id, since }
  }

  async isEnding(principal: Principal, session_id: string, run_id: string): Promise<boolean> {
    await this.get(principal, session_id)
    return (await this.#journal.snapshot(session_id)).run_id !== run_id
  }

  async stop(principal: Principal, session_id: string, run_id?: string): Promise<boolean> {
    this.calls.push({ method: 'stop', args: [principal, session_id, run_id] })
    await this.get(principal, session_id)
    for (const waiting of this.#stopped) if (waiting.run_id === run_id) waiting.resolve()
    const { run_id: active } = await this.#journal.snapshot(session_id)
    return active !== null && (run_id === undefined || run_id === active)
  }

  async append(principal: Principal, command: ChatAppend): Promise<void> {
    this.calls.push({ method: 'append', args: [principal, command] })
    const { run_id } = await this.#journal.snapshot(command.session_id)
    if (run_id === null) throw new AgentError('not_running', 'Nothing is running.')
  }
}
