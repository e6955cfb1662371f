import type { LoopEvent } from '../../core/loop-events.ts'
import { findCall } from '../../core/loop-state.ts'
import type { AnswerPart } from '../../ports.ts'
import { recordAudit } from '../../store/audit.ts'
import { type Asked, gateAndCommands } from '../../store/gate.ts'
import { forgetTakeovers } from '../../store/run-rows.ts'
import type { Work } from '../../store/work.ts'
import { say } from '../../words/phrases.ts'
import type { TurnBook } from '../turn-book.ts'
import { applyCommands } from './apply-commands.ts'
import { askForConsent } from './ask-for-consent.ts'
import type { DriveOptions } from './drive-options.ts'
import { appendPending } from './run-journal.ts'
import { recordCompaction } from './record-compaction.ts'
import { commitEffect } from './commit-effect.ts'
import { writeResult } from './write-result.ts'

/** What must be on record before the loop's next step waits here; the rest follows within a tick. */
export async function record(event: LoopEvent, options: DriveOptions): Promise<void> {
  const { journal, at } = options
  switch (event.type) {
    case 'model:call':
      await at('before:C2a')
      journal.write((book) => book.hidden('run:model_call', {}, { loop_id: event.loop_id }))
      await journal.stored()
      await at('after:C2a')
      break
    case 'model:input':
      await recordInput(event, options)
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
      await journal.text(event)
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
        if (event.ends) book.hidden('run:refused', event.ends, book.turn(event.turn_id))
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
      await commitEffect(event, options)
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
        book.cite(event.turn_id, options.loaded.sources)
        book.endTurn(event.turn_id, event.status, event.failure_reason)
        if (event.notice !== undefined) addNotice(book, { loop_id, parent_fork_tool_call_id, text: event.notice })
      })
      break
    case 'compaction:start':
    case 'compaction:input':
    case 'compaction:end':
      await recordCompaction(event, options)
      break
    case 'notice':
      journal.write((book) => addNotice(book, event))
      break
    default:
      event satisfies never
  }
}

/** Goes with whatever is stored next: the turn's beginning, or the run's end. */
async function recordInput(
  { loop_id, model, input }: LoopEvent & { type: 'model:input' },
  { journal, inputs }: DriveOptions,
): Promise<void> {
  const { data, contents } = await inputs.keep(loop_id, model, input)
  journal.note((book) => {
    book.hidden('run:model_input', data, { loop_id })
    book.keepContents(contents)
  })
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
    book.hidden('run:answer', { parts, usage, ...(isCut && { isCut }) }, book.turn(turn_id))
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
    yield* forgetTakeovers(loaded.run.id)
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
    function* (append): Work<Asked> {
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
      book.hidden('run:tool_claim', { tool_call_id, attempt, ...(digest !== null && { digest }) }, book.turn(turn_id)),
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
