import { AgentError, type Confirmation, isAgentError, type Session } from '@parley/protocol'
import { type ChatSend, isEmptyMessage } from '@parley/protocol/wire'
import { chatSendSchema } from '@parley/protocol/schemas'
import type { ConfirmationDecision } from '@parley/protocol/rest'
import { mayDo, type Principal } from '../auth/principal.ts'
import { APPROVE, REJECT } from '../confirm/ask.ts'
import type { CheckedEdit } from '../confirm/check-edit.ts'
import {
  confirmationOf,
  type ListedConfirmation,
  listConfirmations,
  toConfirmation,
  withdrawConfirmations,
} from '../confirm/confirmations.ts'
import type { JsonObject } from '../ports.ts'
import { appendEvents } from '../store/append.ts'
import { storeCommand } from '../store/commands.ts'
import { findGate, lockGate, requestStop } from '../store/gate.ts'
import type { Journal } from '../store/journal.ts'
import { run, runSql, type Work } from '../store/work.ts'
import {
  type Acceptance,
  type AcceptOptions,
  acceptMessage,
  askedBy,
  bodyDigest,
  busy,
  findRepeated,
  openBook,
} from '../runs/accept/accept.ts'
import { cancelQuestions } from '../runs/accept/answers.ts'
import { alreadyDecided, type Decider } from '../runs/accept/decide-asked.ts'
import { storeAttachments, type StoreFile } from './attachments.ts'
import { modelNotAvailable } from './model-not-available.ts'
import { demandSchema } from '../runs/drive/output-contract.ts'
import type { PointHook } from '../runs/points.ts'
import type { Runs } from '../runs/runs.ts'
import type { Accepted, ChatAppend } from './service.ts'
import { demandSession, type SessionRow, toSession } from '../store/session-record.ts'
import { plainText, type StoredMessage } from '../runs/accept/user-message.ts'
import { demandOwnMessage } from './visitor-rules.ts'

export type SessionCommandsOptions = AcceptOptions & {
  journal: Journal
  runs: Runs
  /** The model a session gets when it names none. */
  defaultModel: () => string
  checkEdit: (session: SessionRow, tool_name: string, edited: JsonObject) => Promise<CheckedEdit>
  hasModel: (id: string) => boolean
  /** Whether the model that a session has chosen is still to be asked. */
  mayHaveModel: (id: string) => boolean
  storeFile: StoreFile
  at?: PointHook
}

/** What people ask of a session's runs: start, stop, add. Each method is one of `Sessions`. */
export class SessionCommands {
  readonly #options: SessionCommandsOptions

  constructor(options: SessionCommandsOptions) {
    this.#options = options
  }

  async send(principal: Principal, command: ChatSend): Promise<Accepted> {
    return this.#send(principal, command, { decided_by: principal.user_id, mayDecide: mayDo(principal, 'decide') })
  }

  async #send(principal: Principal, command: ChatSend, decider: Decider): Promise<Accepted> {
    const { engine, ids, runs, at } = this.#options
    const session = await this.#session(principal, command.session_id)
    demandOwnMessage(principal, command)
    demandNothingElse(command)
    if (command.output_schema) await demandSchema(command.output_schema as JsonObject)
    const model = this.#modelFor(command, session)
    if (!command.askuser_answer && isEmptyMessage(command.message) && session.status !== 'running')
      throw new AgentError('invalid_payload', 'The message is empty.')
    if (command.askuser_answer && command.plan_decision)
      throw new AgentError('invalid_payload', 'plan_decision: goes with a message, not with an answer.')
    const digest = bodyDigest(command)
    const repeated = await engine.read(() => findRepeated(engine, principal.user_id, { ...command, digest }))
    if (repeated) return acceptedOf(session.id, repeated)
    const message = await this.#storeMessage(command, session.id)
    const checked = { ...command, message, digest, edit: await this.#checkEdit(principal, command), decider }
    const run_id = ids.next('chat')
    const sentAt = runs.now()
    const point = command.askuser_answer ? 'C8' : 'C1'
    await at?.(`before:${point}`)
    const acceptance = await engine.write(
      () => acceptMessage(checked, principal.user_id, run_id, model, this.#options),
      {
        confirm: () => findAccepted(run_id, this.#options.owner),
      },
    )
    await at?.(`after:${point}`)
    if (acceptance.lease) runs.begin(acceptance.lease, sentAt, true)
    else this.#tellOwner(command.session_id)
    return acceptedOf(session.id, acceptance)
  }

  /**
   * C8 by its own address: the same decision as answering the question. The account decides for its visitors too: the
   * answer goes into their session, under the account's name.
   */
  async decide(
    principal: Principal,
    id: string,
    { decision, edited_arguments }: ConfirmationDecision,
  ): Promise<Confirmation> {
    const asked = await this.#confirmation(principal, id)
    const answer = {
      tool_call_id: asked.question_id!,
      selections: { 0: [decision === 'approve' ? APPROVE : REJECT] },
      custom: {},
      ...(edited_arguments && { edited_arguments }),
    }
    const command = chatSendSchema.parse({ session_id: asked.session_id, message: '', askuser_answer: answer })
    try {
      const decider = { decided_by: principal.user_id, mayDecide: mayDo(principal, 'decide') }
      await this.#send({ user_id: asked.user_id! }, command, decider)
    } catch (error) {
      const isLate = isAgentError(error) && (error.code === 'ask_not_pending' || error.code === 'already_decided')
      throw isLate ? alreadyDecided(await this.#confirmation(principal, id)) : error
    }
    return toConfirmation(await this.#confirmation(principal, id))
  }

  async confirmations(
    principal: Principal,
    page: { status: string | undefined; limit: number; offset: number },
  ): Promise<{ items: Confirmation[]; total: number }> {
    return this.#options.engine.read(() => listConfirmations(principal.user_id, page))
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
    const { engine, ids, storeFile } = this.#options
    if (isEmptyMessage(message)) throw new AgentError('invalid_payload', 'The message is empty.')
    await this.#session(principal, session_id)
    demandOwnMessage(principal, { message, runtime_env: null })
    const id = `append:${client_message_id ?? ids.next('cmd')}`
    // The first look: what is refused, or here already, puts nothing into the workspace.
    if (!(await engine.read(() => isNewAppend(session_id, id)))) return
    const stored = await storeAttachments(message, session_id, storeFile)
    await engine.write(
      function* () {
        yield* demandSession(engine, principal.user_id, session_id)
        yield* lockGate(session_id)
        if (yield* isNewAppend(session_id, id))
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
      yield* requestStop(session_id)
      return { run_id: gate.run_id }
    }
    const [waiting] = yield* run(
      engine.db.selectFrom('runs').select('id').where('session_id', '=', session_id).where('status', '=', 'waiting'),
    )
    if (!waiting || (run_id !== undefined && run_id !== waiting.id)) return 'nothing'
    // [WR-41] Nothing runs, so nothing ends: what waited is withdrawn.
    const book = yield* openBook(session, waiting.id, 0, this.#options)
    cancelQuestions(book)
    yield* withdrawConfirmations(session_id, principal.user_id)
    const updated_at = new Date(clock.now()).toISOString()
    book.notify('session:updated', { status: 'interrupted', updated_at })
    const { events, turns } = book.take()
    yield* appendEvents(journal.appending(session_id, null, events, turns))
    yield* runSql("UPDATE runs SET status = 'ended', secrets = NULL, ended_at = now_ms() WHERE id = ?", [waiting.id])
    yield* runSql("UPDATE sessions SET status = 'interrupted', updated_at = ? WHERE id = ?", [updated_at, session_id])
    return 'withdrawn'
  }

  /** Before the transaction: a schema that somebody else wrote may take its time. */
  async #checkEdit({ user_id }: Principal, command: ChatSend): Promise<CheckedEdit | null> {
    const { engine, checkEdit } = this.#options
    const { askuser_answer: answer, session_id } = command
    if (!answer?.edited_arguments) return null
    const session = await engine.read(() => demandSession(engine, user_id, session_id))
    const asked = await engine.read(() => askedBy(answer, session, this.#options))
    return asked ? checkEdit(session, asked.tool_name, answer.edited_arguments as JsonObject) : null
  }

  #modelFor(command: ChatSend, session: Session): string {
    const { hasModel, mayHaveModel, defaultModel } = this.#options
    if (command.model !== null && !hasModel(command.model)) throw modelNotAvailable(command.model)
    if (command.model !== null) return command.model
    return session.model !== null && mayHaveModel(session.model) ? session.model : defaultModel()
  }

  /** Attachments go into the workspace before the message is accepted, but not those of one that must be refused. */
  async #storeMessage(command: ChatSend, session_id: string): Promise<StoredMessage> {
    // With an answer, the message is only shown.
    if (command.askuser_answer || typeof command.message === 'string') return plainText(command.message)
    const run_id = await this.#options.engine.read(() => activeRun(session_id))
    if (run_id !== null) throw busy(session_id, run_id)
    return storeAttachments(command.message, session_id, this.#options.storeFile)
  }

  /** Here at once; elsewhere by a hint, and by the owner's own look every half second. */
  #tellOwner(session_id: string): void {
    this.#options.runs.nudge(session_id)
    this.#options.engine.nudge(session_id)
  }

  async #confirmation(principal: Principal, id: string): Promise<ListedConfirmation> {
    const row = await this.#options.engine.read(() => confirmationOf(principal.user_id, id))
    if (!row) throw new AgentError('not_found', `There is no confirmation ${id}.`)
    return row
  }

  async #session(principal: Principal, session_id: string): Promise<Session> {
    const { engine } = this.#options
    return toSession(await engine.read(() => demandSession(engine, principal.user_id, session_id)))
  }
}

function acceptedOf(session_id: string, { lease: _lease, ...acceptance }: Acceptance): Accepted {
  return { session_id, ...acceptance }
}

/** The same message again is accepted again, also when its run is over; a new one needs a run. */
function* isNewAppend(session_id: string, id: string): Work<boolean> {
  if (yield* commandStored(session_id, id)) return false
  if ((yield* activeRun(session_id)) === null)
    throw new AgentError('not_running', `Session ${session_id} is not running; use chat:send.`)
  return true
}

function* activeRun(session_id: string): Work<string | null> {
  return (yield* findGate(session_id))?.run_id ?? null
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

/** What nothing is behind yet is refused by its name: without it, the message would mean something else. */
function demandNothingElse(command: ChatSend): void {
  for (const field of ['whatif', 'replay_decision'] as const)
    if (command[field] !== null)
      throw new AgentError('not_supported', `${field}: this server does not support it; nothing was started.`)
}
