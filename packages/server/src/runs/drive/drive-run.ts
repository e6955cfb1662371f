import type { LoopEvent, Outcome } from '../../core/loop-events.ts'
import { findCall } from '../../core/loop-state.ts'
import { runLoop } from '../../core/run-loop.ts'
import type { AnswerPart } from '../../ports.ts'
import { applyCommand, pendingCommands } from '../../store/commands.ts'
import { recordAudit } from '../../store/audit.ts'
import { runSql, type Work } from '../../store/work.ts'
import { say } from '../../words/phrases.ts'
import { applyToRun } from './apply-command.ts'
import type { DriveOptions } from './drive-options.ts'
import { endOfRun } from './end-run.ts'
import { type Gate, gateAndCommands } from '../../store/gate.ts'
import { askForConsent } from './ask-for-consent.ts'
import { waitingRefs } from '../restore/restore.ts'
import { appendPending } from './run-journal.ts'
import { takeEffect } from './take-effect.ts'
import type { TurnBook } from '../turn-book.ts'
import { writeResult } from './write-result.ts'

/**
 * Drives the loop and puts on record what it does, each step before the next one. Returns once the run's end is stored,
 * or `handed_back` when somebody else shall go on.
 */
export async function driveRun(options: DriveOptions): Promise<'ended' | 'handed_back'> {
  const { loop, env, active, journal } = options
  // A fresh run's first model call was recorded with the message that caused it.
  let isRecorded = options.isFresh
  if (isRecorded) loop.used -= 1
  for (;;) {
    const events = runLoop(loop, env)
    let next = await events.next()
    try {
      while (!next.done) {
        if (isRecorded && next.value.type === 'model:call' && next.value.loop_id === loop.loop_id) isRecorded = false
        else await record(next.value, options)
        next = await events.next()
      }
    } catch (error) {
      active.stop('lost')
      await events.return({ status: 'handed_back' }).catch(() => undefined)
      throw error
    }
    const outcome = next.value
    if (outcome.status === 'handed_back') {
      await journal.stored()
      return 'handed_back'
    }
    if ((await end(outcome, options)) === 'ended') return 'ended'
  }
}

/** What must be on record before the loop's next step waits here; the rest follows within a tick. */
async function record(event: LoopEvent, options: DriveOptions): Promise<void> {
  const { journal, at } = options
  switch (event.type) {
    case 'model:call':
      await at('before:C2a')
      journal.write((book) => book.hidden('run:model_call', {}, null, event.loop_id))
      await journal.stored()
      await at('after:C2a')
      break
    case 'model:retry':
      recordRetry(event, options)
      break
    case 'turn:start': {
      const { turn_id, loop_id, parent_fork_tool_call_id, model } = event
      await at('before:C2b')
      journal.write((book) => book.startTurn({ role: 'assistant', turn_id, loop_id, parent_fork_tool_call_id, model }))
      await at('after:C2b', () => journal.stored())
      break
    }
    case 'text':
      await journal.text(event.turn_id, event.block, event.delta, event.isNewBlock)
      if (options.hasHook) await at('after:C3', () => journal.stored())
      break
    case 'answer':
      await recordAnswer(event, options)
      break
    case 'tool:claim':
      await at('before:C5')
      await claim(event, options)
      await at('after:C5')
      break
    case 'tool:result':
      await at('before:C6')
      journal.write((book) => {
        writeResult(book, event)
        if (event.ends) book.hidden('run:refused', event.ends, event.turn_id, book.turn(event.turn_id).loop_id)
      })
      await progress(options)
      await at('after:C6')
      break
    case 'tool:confirm':
      await at('before:C7')
      await askForConsent(event, options)
      await at('after:C7')
      break
    case 'tool:effect':
      await at('before:C6')
      await takeEffect(event, options)
      await at('after:C6')
      break
    case 'tool:status': {
      const { tool_call_id, status, pending_question_ref } = event
      const data =
        pending_question_ref === undefined ? { tool_call_id, status } : { tool_call_id, status, pending_question_ref }
      journal.write((book) => book.patch(event.turn_id, { patch_type: 'set_tool_status', data }))
      break
    }
    case 'turn:end':
      journal.write((book) => {
        // One that ended before a restart is closed; it was only gone through again.
        if (!book.has(event.turn_id)) return
        const { loop_id, parent_fork_tool_call_id } = book.turn(event.turn_id)
        book.endTurn(event.turn_id, event.status, event.failure_reason)
        if (event.notice !== undefined) addNotice(book, { loop_id, parent_fork_tool_call_id, text: event.notice })
      })
      break
    case 'notice':
      journal.write((book) => addNotice(book, event))
      break
    default:
      event satisfies never
  }
}

function recordRetry(
  { model, failure, attempt, delayMs }: LoopEvent & { type: 'model:retry' },
  { journal, language }: DriveOptions,
): void {
  // What comes at once asks another model.
  const title = say(delayMs === 0 ? 'retry.instead' : 'retry.again', language, { model })
  const detail = say('retry.detail', language, { said: failure.message, attempt, delay: delayMs })
  journal.write((book) =>
    book.notify('system:notification', { notification_type: 'llm:retry', title, detail, status: 'warning' }),
  )
}

function addNotice(
  book: TurnBook,
  { loop_id, parent_fork_tool_call_id, text }: Omit<LoopEvent & { type: 'notice' }, 'type'>,
): void {
  const names = { tool_call_id: null, tool_name: null, display_name: null }
  const blocks = [{ type: 'system_notification' as const, content: text, ...names }]
  book.addTurn({ role: 'system', loop_id, parent_fork_tool_call_id, blocks })
}

/**
 * C4. A plain answer is complete with its turn's end, which is stored with the run's; of one that was cut, whoever
 * carries the run on must know that it was.
 */
async function recordAnswer(
  { turn_id, parts, calls, usage, isCut }: LoopEvent & { type: 'answer' },
  options: DriveOptions,
): Promise<void> {
  const { journal, at } = options
  if (calls.length > 0) await at('before:C4')
  journal.write((book) => {
    book.setUsage(turn_id, usage)
    if (needsKeeping(parts)) book.setMessages(turn_id, JSON.stringify(parts))
    if (calls.length === 0 && !isCut) return
    book.hidden('run:answer', { parts, usage, ...(isCut && { isCut }) }, turn_id, book.turn(turn_id).loop_id)
    for (const { id, name, display_name, arguments: text, status } of calls)
      book.patch(turn_id, {
        patch_type: 'add_tool_call',
        data: { id, tool_name: name, display_name, arguments: text, status },
      })
  })
  if (calls.length === 0) return
  await progress(options)
  await at('after:C4')
}

/** Stores what is pending. After a take-over it also tells that the run is getting on again. */
async function progress({ journal, loaded }: DriveOptions): Promise<void> {
  if (loaded.run.takeovers === 0) return journal.stored()
  await journal.commit(function* (append) {
    yield* appendPending(append)
    yield* runSql('UPDATE runs SET takeovers = 0 WHERE id = ?', [loaded.run.id])
  })
  loaded.run.takeovers = 0
}

/** The projection alone tells one plain text; anything else must come back to the model as it was. */
function needsKeeping(parts: readonly AnswerPart[]): boolean {
  return parts.length > 1 || parts.some((part) => part.type !== 'text' || part.metadata !== undefined)
}

/** C5, unless somebody asked for a stop first. */
async function claim(
  { turn_id, tool_call_id, attempt, digest }: LoopEvent & { type: 'tool:claim' },
  options: DriveOptions,
): Promise<void> {
  const { journal, active, lease } = options
  const gate = await journal.commit(
    function* (append): Work<Gate> {
      const found = yield* gateAndCommands(lease)
      // A stop that was committed first wins: the claim is dropped, everything before it is kept.
      yield* appendPending(
        found.stop_requested
          ? { ...append, events: append.events.filter(({ type }) => type !== 'run:tool_claim') }
          : append,
      )
      if (!found.stop_requested) yield* auditRun(tool_call_id, options)
      return found
    },
    (book) =>
      book.hidden(
        'run:tool_claim',
        { tool_call_id, attempt, ...(digest !== null && { digest }) },
        turn_id,
        book.turn(turn_id).loop_id,
      ),
  )
  if (gate.stop_requested) active.stop('stop')
  // The tool need not wait for that; a failure is one that the run meets, too.
  if (gate.commands > 0) void applyCommands(options).catch(() => undefined)
}

/** Who had what done; a call that is begun again is one more entry. */
function* auditRun(tool_call_id: string, { loaded, journal, loop }: DriveOptions): Work<void> {
  const { principal: actor, session_id } = loaded.run
  const name = journal.book.findCall(tool_call_id)?.call.tool_name ?? findCall(loop, tool_call_id)?.name ?? ''
  yield* recordAudit({ actor, action: 'tool.run', subject: tool_call_id, detail: `${name} in ${session_id}` })
}

/** C9, unless somebody has stopped the run, or added something that must be answered first. */
async function end(
  outcome: Exclude<Outcome, { status: 'handed_back' }>,
  options: DriveOptions,
): Promise<'ended' | 'go on'> {
  const { journal, lease, active, at } = options
  await applyCommands(options)
  if (goesOn(outcome, options)) return 'go on'
  await at('before:C9')
  const result = await options.inTurn(async () => {
    // A hint may have had something applied since.
    if (goesOn(outcome, options)) return 'asked'
    return journal.commit(function* (append): Work<'ended' | 'stopped' | 'asked'> {
      const { stop_requested, commands } = yield* gateAndCommands(lease)
      const isStopped = stop_requested === 1 && outcome.status !== 'interrupted'
      if (isStopped || commands > 0) {
        yield* appendPending(append)
        return isStopped ? 'stopped' : 'asked'
      }
      yield* endOfRun({ ...options, append, outcome, refs: outcome.status === 'paused' ? outcome.refs : [] })
      return 'ended'
    })
  })
  await at('after:C9')
  if (result === 'ended') return 'ended'
  if (result === 'asked') return end(outcome, options)
  // The loop closes what still waits for a person, and comes back as interrupted.
  active.stop('stop')
  return 'go on'
}

/** An added message or an answer means that the run has more to do, unless it may do no more. */
function goesOn(outcome: Outcome, { active, loop }: DriveOptions): boolean {
  if (outcome.status === 'completed') return active.hasMessages && outcome.finish_reason === 'completed'
  if (outcome.status !== 'paused') return false
  const waiting = waitingRefs(loop).map(({ child_tool_call_id }) => child_tool_call_id)
  return outcome.refs.some(({ child_tool_call_id }) => !waiting.includes(child_tool_call_id))
}

/** Applies what people have asked of this run, each once, in one transaction with its effect. */
export function applyCommands(options: DriveOptions): Promise<void> {
  const { engine, lease, journal } = options
  return options.inTurn(async () => {
    const commands = await engine.read(() => pendingCommands(lease.session_id))
    for (const command of commands) {
      let effect = () => {}
      await journal.commit(
        function* (append) {
          yield* appendPending(append)
          yield* applyCommand(command.session_id, command.id)
        },
        () => {
          effect = applyToRun(command, options)
        },
      )
      effect()
    }
  })
}
