import { createHash } from 'node:crypto'
import {
  AgentError,
  type AskUserAnswer,
  isAgentError,
  type MessageContent,
  type Mode,
  type SessionStatus,
} from '@parley/protocol'
import { type ChatSend, isEmptyMessage } from '@parley/protocol/wire'
import type { CheckedEdit } from '../../confirm/check-edit.ts'
import { type ConfirmationRow, findConfirmation, withdrawConfirmations } from '../../confirm/confirmations.ts'
import type { Clock, Ids } from '../../ports.ts'
import { appendEvents } from '../../store/append.ts'
import { storeCommand } from '../../store/commands.ts'
import type { Engine } from '../../store/engine.ts'
import { liveOffers, type Offer } from '../../store/instances.ts'
import { beginRun, findGate, type Lease, lockGate } from '../../store/gate.ts'
import { indexDocument } from '../../store/search-index.ts'
import { readTurn } from '../../store/read-turn.ts'
import { readStored } from '../../store/stored-json.ts'
import { run, runSql, type Work } from '../../store/work.ts'
import { checkAnswer, type CheckedAnswer, type Decision, withdrawQuestions, writeAnswer } from './answers.ts'
import { TURN_COLUMNS } from '../../context/stored-turns.ts'
import { decideAsked, type Decider } from './decide-asked.ts'
import { giveBack } from '../give-back.ts'
import { loadRecord } from '../restore/load-run.ts'
import { writeModeChange } from './mode-change.ts'
import { readNeeds, readOptions, RUN_FORMAT, type RunNeeds, type RunOptions } from '../../store/run-options.ts'
import { demandSession, type SessionRow } from '../../store/session-record.ts'
import { TurnBook } from '../turn-book.ts'
import { plainText, type StoredMessage, userParts, userTurn } from './user-message.ts'

export type AcceptOptions = {
  engine: Engine
  clock: Clock
  ids: Ids
  owner: string
  leaseMs: number
  contextWindow: (model: string) => number
  /** Tools that only some instances have: whoever carries a run on must have them too. */
  ownTools: () => string[]
  /** Other instances that have given no sign of life for a lease. */
  gone: () => ReadonlySet<string>
  /** Encrypts what must not lie in the database in the clear. */
  seal: (text: string) => string
}

/** A checked request whose attachments lie in the workspace. */
export type CheckedSend = Omit<ChatSend, 'message'> & {
  message: StoredMessage
  /** Of the request as it came: tells a repeated message from another one with the same id. */
  digest: string
  /** What became of arguments that it changes. */
  edit: CheckedEdit | null
  /** Who decides, when it is the answer to a question for consent. */
  decider: Decider
}

export type Acceptance = {
  run_id: string
  since: number
  /** It is an answer to a run under way. */
  joins?: true
  /** The run to start here; absent when it was accepted before, belongs to a run under way, or is for another instance. */
  lease?: Lease
}

/**
 * C1: the message, its run and everything they imply, in one transaction. Checks come first, in the order of
 * wire-protocol 5.3; a failed one leaves no trace.
 */
export function* acceptMessage(
  command: CheckedSend,
  user_id: string,
  run_id: string,
  model: string,
  options: AcceptOptions,
): Work<Acceptance> {
  const { engine, clock } = options
  const session = yield* demandSession(engine, user_id, command.session_id)
  const gate = yield* lockGate(session.id)
  // Only now: the same message, sent twice at once, waits here for its twin.
  const repeated = yield* findRepeated(engine, user_id, command)
  if (repeated) return repeated
  const book = yield* openBook(session, run_id, options.contextWindow(model), options)
  if (command.askuser_answer && gate.run_id !== null) yield* adoptOpenTurns(book, session.id, gate.run_id)
  const checked = command.askuser_answer
    ? yield* decideAsked(checkAnswer(book, command.askuser_answer), session, command.decider, command.edit)
    : null
  if (gate.run_id !== null) return yield* answerRunning(command, checked, gate.run_id, gate.head)
  if (!checked && isEmptyMessage(command.message as MessageContent))
    throw new AgentError('invalid_payload', 'The message is empty.')

  const waiting = yield* waitingRun(engine, session.id)
  const elsewhere = checked && waiting ? yield* needsOfOthers(waiting, model, options) : undefined
  const lease = yield* beginRun({ session_id: session.id, run_id }, options.owner, options.leaseMs)
  if (!lease) throw busy(session.id, gate.run_id)
  const mode = checked ? (session.mode as Mode) : (command.mode ?? (session.mode as Mode))
  const updated_at = new Date(clock.now()).toISOString()
  book.notify('chat:start', { run_id })
  if (checked)
    writeAnswer(
      book,
      checked,
      plainText(command.message) || null,
      clock.now() - Date.parse(checked.turn.started_at ?? ''),
    )
  else {
    withdrawQuestions(book)
    yield* withdrawConfirmations(session.id, user_id)
    const { plan_decision } = command
    yield* writeModeChange(book, { session_id: session.id, from: session.mode as Mode, to: mode, plan_decision })
    const { turn_id } = book.addTurn(userTurn(command.message), userParts(command.message))
    yield* indexDocument(engine, {
      user_id,
      kind: 'session',
      parent_id: session.id,
      ref: turn_id,
      text: plainText(command.message),
    })
  }
  // Other clients of this session show its mode and model too.
  if (mode !== session.mode || (command.model !== null && model !== session.model))
    book.notify('session:updated', { mode, model, updated_at })
  book.hidden('run:model_call', {}, null, 'root')
  const needs = elsewhere ?? { model, tools: options.ownTools() }
  yield* insertRun({ command, user_id, run_id, model, mode, session, waiting, needs }, options, gate)
  yield* runSql('UPDATE sessions SET status = ?, mode = ?, model = ?, updated_at = ? WHERE id = ?', [
    'running' satisfies SessionStatus,
    mode,
    model,
    updated_at,
    session.id,
  ])
  const { events, turns } = book.take()
  yield* appendEvents({ session_id: session.id, epoch: lease.epoch, events, turns, batch: run_id })
  if (!elsewhere) return { run_id, since: gate.head, lease }
  yield* giveBack(lease)
  return { run_id, since: gate.head }
}

/** A book that goes on where the session's turns end, with those that wait for a person taken up. */
export function* openBook(
  session: Pick<SessionRow, 'id' | 'solution_id'>,
  run_id: string,
  contextWindow: number,
  { engine, clock, ids }: Pick<AcceptOptions, 'engine' | 'clock' | 'ids'>,
): Work<TurnBook> {
  const [last] = yield* runSql<{ sequence: number | null }>(
    'SELECT max(sequence) AS sequence FROM turns WHERE session_id = ?',
    [session.id],
  )
  const book = new TurnBook({
    run_id,
    clock,
    ids,
    contextWindow,
    nextSequence: (last?.sequence ?? -1) + 1,
    solution_id: session.solution_id,
  })
  const paused = yield* run(
    engine.db
      .selectFrom('turns')
      .select(TURN_COLUMNS)
      .where('session_id', '=', session.id)
      .where('status', '=', 'paused')
      .orderBy('sequence'),
  )
  for (const { messages, ...row } of paused) book.adopt(readTurn(row), messages)
  return book
}

/** A question waits from the moment it is shown, also while other calls of its turn still work. */
function* adoptOpenTurns(book: TurnBook, session_id: string, run_id: string): Work<void> {
  const [row] = yield* runSql<{ first_seq: number }>('SELECT first_seq FROM runs WHERE id = ?', [run_id])
  if (!row) return
  const { open } = yield* loadRecord(session_id, row.first_seq)
  for (const { turn } of open) book.adopt(turn, null)
}

/** The same id with the same body is the same message, also while its run is active. */
export function* findRepeated(
  engine: Engine,
  user_id: string,
  command: Pick<CheckedSend, 'session_id' | 'client_message_id' | 'digest'>,
): Work<Acceptance | undefined> {
  if (command.client_message_id === null) return undefined
  const [started] = yield* run(
    engine.db
      .selectFrom('runs')
      .select(['id', 'body_digest', 'first_seq'])
      .where('session_id', '=', command.session_id)
      .where('principal', '=', user_id)
      .where('client_message_id', '=', command.client_message_id),
  )
  const known = started
    ? { run_id: started.id, since: started.first_seq - 1, digest: started.body_digest }
    : yield* findAnswer(command.session_id, command.client_message_id)
  if (!known) return undefined
  if (known.digest !== command.digest)
    throw new AgentError(
      'invalid_payload',
      `client_message_id ${command.client_message_id} was used for another message in this session.`,
    )
  return { run_id: known.run_id, since: known.since, ...(!started && { joins: true as const }) }
}

/** An answer that a run under way has taken started no run of its own. */
function* findAnswer(session_id: string, client_message_id: string): Work<AnswerCommand | undefined> {
  const rows = yield* runSql<{ data: string }>("SELECT data FROM commands WHERE session_id = ? AND kind = 'answer'", [
    session_id,
  ])
  return rows
    .map(({ data }) => readStored(data) as AnswerCommand | undefined)
    .find((answer) => answer?.client_message_id === client_message_id)
}

/** An answer on its way into a run, and what its sender was told. */
export type AnswerCommand = {
  answer: AskUserAnswer
  message: string | null
  client_message_id: string | null
  digest: string
  run_id: string
  since: number
  decision?: Decision
}

/** The consent that an answer is about to give, so that what it changes can be looked at before it is given. */
export function* askedBy(
  answer: AskUserAnswer,
  session: SessionRow,
  options: Pick<AcceptOptions, 'engine' | 'clock' | 'ids'>,
): Work<ConfirmationRow | undefined> {
  const book = yield* openBook(session, '', 0, options)
  const gate = yield* findGate(session.id)
  if (gate && gate.run_id !== null) yield* adoptOpenTurns(book, session.id, gate.run_id)
  try {
    return yield* findConfirmation(session.id, checkAnswer(book, answer).call.id)
  } catch (error) {
    // Whatever is wrong with the answer is said when it is accepted.
    if (isAgentError(error)) return undefined
    throw error
  }
}

/** A question of a run that is under way may be answered at once; anything else has to wait for its end. */
function* answerRunning(
  command: CheckedSend,
  checked: CheckedAnswer | null,
  run_id: string,
  head: number,
): Work<Acceptance> {
  if (!checked) throw busy(command.session_id, run_id)
  const { tool_call_id } = checked.answer
  const data: AnswerCommand = {
    answer: checked.answer,
    message: plainText(command.message) || null,
    client_message_id: command.client_message_id,
    digest: command.digest,
    run_id,
    since: head,
    ...(checked.decision && { decision: checked.decision }),
  }
  // The question's id is the command's: of several answers one is stored, the others come too late.
  const isFirst = yield* storeCommand({
    session_id: command.session_id,
    id: `answer:${tool_call_id}`,
    kind: 'answer',
    data: JSON.stringify(data),
  })
  if (!isFirst)
    throw new AgentError('ask_not_pending', 'That question has been answered already.', { details: { tool_call_id } })
  return { run_id, since: head, joins: true }
}

function* waitingRun(engine: Engine, session_id: string): Work<WaitingRun | undefined> {
  const [row] = yield* run(
    engine.db
      .selectFrom('runs')
      .select(['id', 'options', 'needs', 'secrets'])
      .where('session_id', '=', session_id)
      .where('status', '=', 'waiting'),
  )
  return row
}

type WaitingRun = { id: string; options: string; needs: string; secrets: string | null }

/**
 * What the run that asked needs and this instance lacks, while another one has it: here, what was agreed to would find no
 * tool and be lost. Where nobody has it any more this instance is as good as any.
 */
function* needsOfOthers(
  waiting: WaitingRun,
  model: string,
  { engine, ownTools, gone }: AcceptOptions,
): Work<RunNeeds | undefined> {
  const { tools = [] } = readNeeds(waiting.needs) ?? { model }
  const own = ownTools()
  if (engine.kind === 'sqlite' || tools.every((name) => own.includes(name))) return undefined
  const offers = yield* liveOffers(gone())
  const has = (offer: Offer) => offer.models.includes(model) && tools.every((name) => offer.tools.includes(name))
  return offers.some(has) ? { model, tools } : undefined
}

type NewRun = {
  command: CheckedSend
  user_id: string
  run_id: string
  model: string
  mode: Mode
  session: SessionRow
  waiting: WaitingRun | undefined
  needs: RunNeeds
}

function* insertRun(
  { command, user_id, run_id, model, mode, session, waiting, needs }: NewRun,
  options: AcceptOptions,
  gate: { head: number; skip: number },
): Work<void> {
  const resumed = command.askuser_answer && waiting ? readOptions(waiting.options) : undefined
  const runOptions: RunOptions = resumed
    ? { ...resumed, model }
    : { model, mode, headless: command.headless, output_schema: command.output_schema as RunOptions['output_schema'] }
  const secrets = command.runtime_env
    ? options.seal(JSON.stringify(command.runtime_env))
    : ((resumed && waiting?.secrets) ?? null)
  if (waiting)
    yield* runSql("UPDATE runs SET status = 'ended', secrets = NULL, ended_at = now_ms() WHERE id = ?", [waiting.id])
  yield* runSql(
    `INSERT INTO runs (id, session_id, principal, client_message_id, body_digest, status, options, needs, format, first_seq, secrets, created_at)
      VALUES (?, ?, ?, ?, ?, 'active', ?, ?, ?, ?, ?, now_ms())`,
    [
      run_id,
      session.id,
      user_id,
      command.client_message_id,
      command.client_message_id === null ? null : command.digest,
      JSON.stringify(runOptions),
      JSON.stringify(needs),
      RUN_FORMAT,
      gate.head + gate.skip + 1,
      secrets,
    ],
  )
}

export function bodyDigest(command: ChatSend): string {
  const { message, askuser_answer, mode, model, headless, output_schema, plan_decision } = command
  // Only where it is said: bodies of older servers have the same digest.
  const decided = plan_decision && { plan_decision }
  return createHash('sha256')
    .update(JSON.stringify({ message, askuser_answer, mode, model, headless, output_schema, ...decided }))
    .digest('hex')
}

export function busy(session_id: string, run_id: string | null): AgentError {
  return new AgentError(
    'session_busy',
    `Session ${session_id} is already running. Wait for chat:end, or send chat:stop.`,
    { details: { session_id, run_id } },
  )
}
