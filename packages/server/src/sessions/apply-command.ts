import { isAgentError } from '@parley/protocol'
import { findCall, type LoopState } from '../core/loop-state.ts'
import type { JsonValue } from '../ports.ts'
import type { Command } from '../store/commands.ts'
import type { AnswerCommand } from './accept.ts'
import type { ActiveRun } from './active-run.ts'
import { checkAnswer, writeAnswer } from './answers.ts'
import type { RunJournal } from './run-journal.ts'
import { plainText, type StoredMessage, userParts, userTurn } from './user-message.ts'

type Run = { loop: LoopState; active: ActiveRun; journal: RunJournal; clock: { now(): number } }

/**
 * Writes what a command changes into the run's book and returns what to do once that is stored. An answer that came too
 * late changes nothing: its question is settled, and its sender was told what the journal knew then.
 */
export function applyToRun(command: Command, run: Run): () => void {
  const data = JSON.parse(command.data) as Record<string, unknown>
  if (command.kind === 'append') return applyAppend(data['message'] as StoredMessage, run)
  if (command.kind === 'answer') return applyAnswer(data as AnswerCommand, run)
  return nothing
}

function applyAppend(message: StoredMessage, { journal, active }: Run): () => void {
  journal.book.addTurn(userTurn(message), userParts(message))
  return () =>
    active.addMessage({ role: 'user', content: userParts(message) ?? [{ type: 'text', text: plainText(message) }] })
}

function applyAnswer({ answer, message }: AnswerCommand, { journal, loop, active, clock }: Run): () => void {
  try {
    const { book } = journal
    const checked = checkAnswer(book, answer)
    writeAnswer(book, checked, message, clock.now() - Date.parse(checked.turn.started_at ?? ''))
    return () => {
      const call = findCall(loop, checked.call.id)
      if (call)
        call.state = { type: 'settled', status: 'done', result: { answers: checked.answers } as unknown as JsonValue }
      active.answer(checked.call.id)
    }
  } catch (error) {
    if (isAgentError(error)) return nothing
    throw error
  }
}

function nothing(): void {}
