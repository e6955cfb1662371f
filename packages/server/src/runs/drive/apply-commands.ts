import { askUserAnswerSchema } from '@parley/protocol/schemas'
import { isAgentError } from '@parley/protocol'
import type { Answered } from '../../core/loop-env.ts'
import type { JsonValue } from '../../ports.ts'
import { applyCommand, type Command, pendingCommands } from '../../store/commands.ts'
import { readStored } from '../../store/stored-json.ts'
import { type Decision, EXPIRED, type ExpireCommand, writeExpiry } from '../../confirm/decision.ts'
import type { AnswerCommand } from '../accept/answer-command.ts'
import { checkAnswer, writeAnswer } from '../accept/answers.ts'
import { tellAbove } from '../waiting.ts'
import { plainText, type StoredMessage, userParts, userTurn } from '../accept/user-message.ts'
import type { DriveOptions } from './drive-options.ts'
import { appendPending } from './run-journal.ts'

type Run = Pick<DriveOptions, 'active' | 'journal' | 'clock'>

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

/**
 * Writes what a command changes into the run's book and returns what to do once that is stored. An answer that came too
 * late changes nothing: its question is settled, and its sender was told what the journal knew then.
 */
function applyToRun(command: Command, run: Run): () => void {
  // One that cannot be read asks for nothing: it must not end the run it was sent to.
  const data = readStored(command.data) as Record<string, unknown> | undefined
  if (command.kind === 'append' && isMessage(data?.['message'])) return applyAppend(data as Appended, run)
  if (command.kind === 'answer' && askUserAnswerSchema.safeParse(data?.['answer']).success)
    return applyAnswer(data as AnswerCommand, run)
  if (command.kind === 'expire' && data) return applyExpiry(data as ExpireCommand, run)
  return nothing
}

function isMessage(value: unknown): value is StoredMessage {
  return typeof value === 'string' || Array.isArray(value)
}

/** One of an older server has no id. */
type Appended = { message: StoredMessage; client_message_id?: string | null }

function applyAppend({ message, client_message_id = null }: Appended, { journal, active }: Run): () => void {
  journal.book.addTurn(userTurn(message, client_message_id), userParts(message))
  return () =>
    active.addMessage({ role: 'user', content: userParts(message) ?? [{ type: 'text', text: plainText(message) }] })
}

function applyAnswer(
  { answer, message, client_message_id, decision }: AnswerCommand,
  { journal, active, clock }: Run,
): () => void {
  try {
    const { book } = journal
    const checked = { ...checkAnswer(book, answer), ...(decision && { decision }) }
    writeAnswer(book, checked, { message, client_message_id, now: clock.now() })
    const result = { answers: checked.answers } as unknown as JsonValue
    return () => active.answer(checked.call.id, decision ? decided(decision) : { type: 'answered', result })
  } catch (error) {
    if (isAgentError(error)) return nothing
    throw error
  }
}

function decided(decision: Decision): Answered {
  if (decision.isApproved) return { type: 'agreed', consent: decision.consent }
  return { type: 'refused', reason: decision.reason }
}

function applyExpiry({ question_id, tool_call_id }: ExpireCommand, { journal, active }: Run): () => void {
  const { book } = journal
  const asked = book.findCall(question_id)
  if (asked?.call.status !== 'awaiting_answer') return nothing
  writeExpiry(book, asked.turn.turn_id, { question_id, tool_call_id })
  tellAbove(book, asked.turn)
  return () => active.answer(question_id, { type: 'refused', reason: EXPIRED })
}

function nothing(): void {}
