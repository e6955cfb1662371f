import { ROOT_LOOP } from './root-loop.ts'
import type { TurnProjection } from './turn.ts'

/** A message of the user to the main agent. An answer to a question is none: it belongs to the run that asked. */
export function isUserMessage({ role, kind, loop_id, blocks }: TurnProjection): boolean {
  const isAnswer = blocks.some(({ type }) => type === 'ask_user_answer')
  return role === 'user' && kind === 'message' && loop_id === ROOT_LOOP && !isAnswer
}
