import { AgentError, type AskUserAnswer } from '@parley/protocol'
import type { Decision } from '../../confirm/decision.ts'
import { commandsOfKind, storeCommand } from '../../store/commands.ts'
import { readStored } from '../../store/stored-json.ts'
import type { Work } from '../../store/work.ts'
import type { CheckedAnswer } from './answers.ts'
import type { Acceptance, AnswerRequest } from './request.ts'

/** An answer on its way into a run under way, and what its sender was told. */
export type AnswerCommand = {
  answer: AskUserAnswer
  message: string | null
  client_message_id: string | null
  digest: string
  run_id: string
  since: number
  decision?: Decision
}

/** A question of a run that is under way may be answered at once. */
export function* storeAnswer(
  { answer, decision }: CheckedAnswer,
  { session_id, message, client_message_id, digest }: AnswerRequest,
  { active_run_id: run_id, since }: { active_run_id: string; since: number },
): Work<Acceptance> {
  const { tool_call_id } = answer
  const data: AnswerCommand = {
    ...{ answer, message, client_message_id, digest, run_id, since },
    ...(decision && { decision }),
  }
  // The question's id is the command's: of several answers one is stored, the others come too late.
  const isFirst = yield* storeCommand({
    session_id,
    id: `answer:${tool_call_id}`,
    kind: 'answer',
    data: JSON.stringify(data),
  })
  if (!isFirst)
    throw new AgentError('ask_not_pending', 'That question has been answered already.', { details: { tool_call_id } })
  return { run_id, since, joins: true }
}

export function* findStoredAnswer(session_id: string, client_message_id: string): Work<AnswerCommand | undefined> {
  const rows = yield* commandsOfKind(session_id, 'answer')
  return rows
    .map((data) => readStored(data) as AnswerCommand | undefined)
    .find((answer) => answer?.client_message_id === client_message_id)
}
