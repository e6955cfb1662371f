import type { AgentSessionState, TurnProjection } from '@parley/client'
import type { RecordedAnswer, ToolCallProjection } from '@parley/protocol'
import { useMemo } from 'react'
import { findHeldSession } from '../sessions/held-sessions.ts'
import { useSessionState } from '../sessions/use-session-state.ts'
import type { AnswerProps } from './chat-view-props.ts'
import { useView } from './view-context.ts'

const indexes = new WeakMap<readonly TurnProjection[], ReadonlyMap<string, TurnProjection>>()

/** The turn that a message shows; `null` for a message that the server has not taken yet. */
export function useTurn(turnId: string): TurnProjection | null {
  const { client, sessionId } = useView()
  return useSessionState(client, sessionId, ({ turns }) => indexOf(turns).get(turnId) ?? null)
}

export function useToolCall(turnId: string, callId: string): ToolCallProjection | undefined {
  return useTurn(turnId)?.tool_calls.find(({ id }) => id === callId)
}

/** What replacements hand on. */
export function useAnswerProps(): AnswerProps {
  const { client, sessionId, onAnswer } = useView()
  const sessionStatus = useSessionState(client, sessionId, ({ status }) => status)
  const answered = useSessionState(client, sessionId, answeredCalls) ?? ''
  const answerData = useMemo(
    () => (answered ? answersIn(findHeldSession(client, sessionId)?.getState().turns ?? []) : {}),
    [client, sessionId, answered],
  )
  return { onAnswer, answerData, sessionStatus }
}

/** One walk for all who ask in the same state. */
function indexOf(turns: readonly TurnProjection[]): ReadonlyMap<string, TurnProjection> {
  const known = indexes.get(turns) ?? new Map(turns.map((turn) => [turn.turn_id, turn]))
  indexes.set(turns, known)
  return known
}

const answerIndexes = new WeakMap<readonly TurnProjection[], Record<string, RecordedAnswer>>()

function answersIn(turns: readonly TurnProjection[]): Record<string, RecordedAnswer> {
  const known = answerIndexes.get(turns) ?? readAnswers(turns)
  answerIndexes.set(turns, known)
  return known
}

function readAnswers(turns: readonly TurnProjection[]): Record<string, RecordedAnswer> {
  const blocks = turns.flatMap((turn) => (turn.role === 'user' ? turn.blocks : []))
  const answers = blocks.flatMap((block) => (block.type === 'ask_user_answer' ? [block.content] : []))
  return Object.fromEntries(answers.map((answer) => [answer.tool_call_id, answer]))
}

function answeredCalls({ turns }: AgentSessionState): string {
  return Object.keys(answersIn(turns)).join()
}
