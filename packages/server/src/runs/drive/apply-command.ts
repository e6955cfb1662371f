import { askUserAnswerSchema, isAgentError } from '@parley/protocol'
import { type Call, findCall, type LoopState } from '../../core/loop-state.ts'
import type { JsonValue } from '../../ports.ts'
import type { Command } from '../../store/commands.ts'
import { readStored } from '../../store/stored-json.ts'
import type { AnswerCommand } from '../accept/accept.ts'
import type { ActiveRun } from '../active-run.ts'
import {
  checkAnswer,
  type Decision,
  EXPIRED,
  expireQuestion,
  type ExpireCommand,
  tellAbove,
  writeAnswer,
} from '../accept/answers.ts'
import type { RunJournal } from './run-journal.ts'
import { plainText, type StoredMessage, userParts, userTurn } from '../accept/user-message.ts'

type Run = { loop: LoopState; active: ActiveRun; journal: RunJournal; clock: { now(): number } }

/**
 * Writes what a command changes into the run's book and returns what to do once that is stored. An answer that came too
 * late changes nothing: its question is settled, and its sender was told what the journal knew then.
 */
export function applyToRun(command: Command, run: Run): () => void {
  // One that cannot be read asks for nothing: it must not end the run it was sent to.
  const data = readStored(command.data) as Record<string, unknown> | undefined
  if (command.kind === 'append' && isMessage(data?.['message'])) return applyAppend(data['message'], run)
  if (command.kind === 'answer' && askUserAnswerSchema.safeParse(data?.['answer']).success)
    return applyAnswer(data as AnswerCommand, run)
  if (command.kind === 'expire' && data) return applyExpiry(data as ExpireCommand, run)
  return nothing
}

function isMessage(value: unknown): value is StoredMessage {
  return typeof value === 'string' || Array.isArray(value)
}

function applyAppend(message: StoredMessage, { journal, active }: Run): () => void {
  journal.book.addTurn(userTurn(message), userParts(message))
  return () =>
    active.addMessage({ role: 'user', content: userParts(message) ?? [{ type: 'text', text: plainText(message) }] })
}

function applyAnswer({ answer, message, decision }: AnswerCommand, { journal, loop, active, clock }: Run): () => void {
  try {
    const { book } = journal
    const checked = { ...checkAnswer(book, answer), ...(decision && { decision }) }
    writeAnswer(book, checked, message, clock.now() - Date.parse(checked.turn.started_at ?? ''))
    return () => {
      const call = findCall(loop, decision?.tool_call_id ?? checked.call.id)
      if (call && decision) settleDecided(call, decision)
      else if (call)
        call.state = { type: 'settled', status: 'done', result: { answers: checked.answers } as unknown as JsonValue }
      active.answer(checked.call.id)
    }
  } catch (error) {
    if (isAgentError(error)) return nothing
    throw error
  }
}

/** With consent the call is open again; without, it is over. */
function settleDecided(call: Call, decision: Decision): void {
  if (decision.isApproved) {
    call.consent = decision.consent
    call.state = { type: 'announced' }
  } else call.state = { type: 'settled', status: 'cancelled', result: decision.reason }
}

function applyExpiry({ question_id, tool_call_id }: ExpireCommand, { journal, loop, active }: Run): () => void {
  const { book } = journal
  const asked = book.findCall(question_id)
  if (asked?.call.status !== 'awaiting_answer') return nothing
  expireQuestion(book, asked.turn.turn_id, question_id, tool_call_id)
  tellAbove(book, asked.turn)
  return () => {
    const call = findCall(loop, tool_call_id)
    if (call) settleDecided(call, { tool_call_id, isApproved: false, reason: EXPIRED })
    active.answer(question_id)
  }
}

function nothing(): void {}
