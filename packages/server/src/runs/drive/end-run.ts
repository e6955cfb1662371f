import { addUsage } from '@parley/protocol/wire'
import {
  openQuestions,
  parseArguments,
  type PendingQuestionRef,
  ROOT_LOOP,
  type SessionStatus,
  textOf,
  type Usage,
} from '@parley/protocol'
import { withdrawConfirmations } from '../../confirm/confirmations.ts'
import type { Outcome } from '../../core/loop-events.ts'
import type { Clock, JsonValue } from '../../ports.ts'
import { type Append, appendEvents } from '../../store/append.ts'
import type { Engine } from '../../store/engine.ts'
import { endRun, type Lease } from '../../store/gate.ts'
import { storeOutcome } from '../../store/run-rows.ts'
import { indexDocument } from '../../store/search-index.ts'
import { setSessionStatus } from '../../store/session-rows.ts'
import { giveTitle, titleOf } from '../../store/session-title.ts'
import { recordUsage } from '../../store/usage-rows.ts'
import { runSql, type Work } from '../../store/work.ts'
import type { LoadedRun } from '../restore/load-run.ts'
import type { RunJournal } from './run-journal.ts'
import { runTurns, spentIn, type StoredTurns } from './spent.ts'

export type RunEnd = {
  engine: Engine
  lease: Lease
  loaded: LoadedRun
  journal: RunJournal
  clock: Clock
  append: Append
  outcome: Exclude<Outcome, { status: 'handed_back' }>
  refs: readonly PendingQuestionRef[]
  /** It took longer than it may. */
  isOverdue?: boolean
}

/** C9: the last turns, the run's and the session's status, and the word that it is over, in one transaction. */
export function* endOfRun(end: RunEnd): Work<void> {
  const { engine, lease, loaded, journal, clock, append, outcome } = end
  const { session, run } = loaded
  const status = sessionStatus(outcome)
  const updated_at = new Date(clock.now()).toISOString()
  // First what is pending: its rows count for the sums below.
  yield* appendEvents(append)
  const turns = yield* runTurns(run.session_id, run.id)
  // Somebody may have named it meanwhile.
  const [named] = yield* runSql<{ intent: string }>('SELECT intent FROM sessions WHERE id = ?', [session.id])
  const { book } = journal
  if (outcome.status === 'failed') {
    const { code, message, details } = outcome.error
    // Whoever reads the history later must find why there is no answer.
    if (!hasFailedTurn(turns)) book.addFailedTurn(loaded.options.model || null, `${code}: ${message}`)
    book.notify('system:error', { code, message, detail: details ?? null, run_id: run.id })
  }
  const chatEnd = chatEndOf(end, status, turns)
  book.notify('chat:end', chatEnd)
  const title = named?.intent === '' ? titleFrom(turns) : undefined
  book.notify('session:updated', { status, updated_at, ...(title && { intent: title }) })

  const last = book.take()
  yield* appendEvents({ ...append, ...last, batch: `${append.batch}.end` })
  const answer = turns
    .flatMap(({ turn }) => (turn.role === 'assistant' && turn.parent_fork_tool_call_id === null ? [textOf(turn)] : []))
    .join('\n')
  if (answer !== '')
    yield* indexDocument(engine, {
      user_id: session.user_id,
      kind: 'session',
      parent_id: session.id,
      ref: run.id,
      text: answer,
    })
  if (title) yield* giveTitle(engine, session, title)
  yield* setSessionStatus(session.id, status, updated_at)
  const isWaiting = status === 'waiting_for_input'
  if (!isWaiting) yield* withdrawConfirmations(session.id, run.principal)
  yield* storeOutcome(run.id, isWaiting ? 'waiting' : 'ended', chatEnd)
  yield* recordSpent(end, turns)
  yield* endRun(lease)
}

/** For the account's books. */
function* recordSpent({ loaded, outcome }: RunEnd, turns: StoredTurns): Work<void> {
  const first = turns.find(({ turn }) => turn.role === 'assistant' && turn.loop_id === ROOT_LOOP)?.turn
  const { id: run_id } = loaded.run
  const model = first?.model ?? loaded.options.model
  yield* recordUsage({ run_id, outcome: outcome.status, model, turn_id: first?.turn_id ?? null, spent: spentIn(turns) })
}

/** Does the main agent's last turn of this run tell its failure already? */
function hasFailedTurn(turns: StoredTurns): boolean {
  return turns.findLast(({ turn }) => turn.loop_id === ROOT_LOOP && turn.kind === 'message')?.turn.status === 'failed'
}

function sessionStatus(outcome: RunEnd['outcome']): SessionStatus {
  return outcome.status === 'paused' ? 'waiting_for_input' : outcome.status
}

function chatEndOf(
  { loaded, outcome, refs, journal, isOverdue }: RunEnd,
  session_status: SessionStatus,
  turns: StoredTurns,
) {
  const isPaused = outcome.status === 'paused'
  const pending = isPaused ? pendingQuestion(journal, refs) : null
  return {
    status: isPaused ? ('completed' as const) : outcome.status,
    result: resultOf(loaded, outcome, turns),
    finish_reason: isPaused ? ('completed' as const) : 'finish_reason' in outcome ? outcome.finish_reason : null,
    run_id: loaded.run.id,
    session_status,
    pause_tool: isPaused ? 'AskUserQuestion' : null,
    pause_tool_data: pending,
    error:
      outcome.status === 'failed'
        ? { code: outcome.error.code, message: outcome.error.message, ...outcome.error.details }
        : null,
    usage: sumUsage(turns),
    ...(outcome.status === 'completed' && outcome.cut && { cut: outcome.cut }),
    ...(outcome.status === 'interrupted' && isOverdue && { stopped_by: 'timeout' as const }),
  }
}

/** The oldest question that waits. */
function pendingQuestion({ book }: RunJournal, refs: readonly PendingQuestionRef[]) {
  const paused = book.pausedTurns().reverse()
  const [oldest] = openQuestions(paused)
  if (oldest) return oldest
  const found = refs[0] && book.findCall(refs[0].child_tool_call_id)
  return found
    ? {
        tool_call_id: found.call.id,
        turn_id: found.turn.turn_id,
        loop_id: found.turn.loop_id,
        arguments: parseArguments(found.call.arguments),
      }
    : null
}

function resultOf(
  { options }: LoadedRun,
  outcome: RunEnd['outcome'],
  turns: StoredTurns,
): { output: JsonValue; schema?: Record<string, unknown> } | null {
  if (outcome.status !== 'completed') return null
  if (options.output_schema)
    return outcome.output === undefined ? null : { output: outcome.output, schema: options.output_schema }
  if (!options.headless) return null
  const last = turns.findLast(({ turn }) => turn.role === 'assistant' && turn.parent_fork_tool_call_id === null)
  return { output: last ? textOf(last.turn) : '' }
}

function sumUsage(turns: StoredTurns): Usage | null {
  return turns.reduce<Usage | null>((sum, { turn }) => addUsage(sum, turn.usage), null)
}

/** A session without a title gets the beginning of what its user said. */
function titleFrom(turns: StoredTurns): string | undefined {
  const said = turns.find(({ turn }) => turn.role === 'user')?.turn
  return said && titleOf(textOf(said))
}
