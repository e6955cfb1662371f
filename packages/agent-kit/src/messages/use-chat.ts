import type { AgentSession, AgentSessionState, MessageContent } from '@parley/client'
import type { AskUserAnswer, Mode } from '@parley/protocol'
import { useCallback, useMemo, useState } from 'react'
import { useBladeClient } from '../app/blade-client-provider.tsx'
import { withSession } from '../sessions/held-sessions.ts'
import { useSessionState } from '../sessions/use-session-state.ts'
import { answerOfText } from './answer-of-text.ts'
import { textOfContent } from './build-message-content.ts'
import type { ChatMessage } from './chat-message.ts'
import { NO_MESSAGES, sessionMessages } from './session-messages.ts'

export type ChatSendOptions = { mode?: Mode; model?: string; askUserAnswer?: AskUserAnswer }
/** Question number → chosen option indexes, and question number → free text. */
export type ChatAnswer = { selections?: Record<string, number[]>; custom?: Record<string, string> }

export type Chat = {
  messages: ChatMessage[]
  /** The messages of sub-agents, by the id of the call that started them. */
  agentLoops: Readonly<Record<string, ChatMessage[]>>
  isStreaming: boolean
  /** `stop` was called and the run has not ended yet. */
  isStopping: boolean
  /** Why the last request or the last run failed; the functions below do not reject. */
  error: string | null
  /** Resolves when the message is accepted. While a question waits, a text answers the last one. */
  send: (content: MessageContent, modeOrOptions?: Mode | ChatSendOptions) => Promise<void>
  /** Answers a question. `text` is shown in the history; the agent gets the choices. */
  answer: (text: string, toolCallId: string, answer: ChatAnswer) => Promise<void>
  /** Adds a message to the run under way. */
  append: (content: MessageContent) => Promise<void>
  /** Stops the run, or withdraws the question that waits. */
  stop: () => Promise<void>
}

/** A session for a chat of one's own: its messages, and what a user can do. Several on one page share the session. */
export function useChat(sessionId: string | null | undefined): Chat {
  const id = sessionId ?? ''
  const client = useBladeClient()
  const state = useSessionState(client, id, whole)
  const [stopped, setStopped] = useState<string | null>(null)
  const [failure, setFailure] = useState<string | null>(null)

  const act = useCallback(
    async (work: (session: AgentSession) => Promise<unknown>) => {
      setFailure(null)
      try {
        if (!id) throw new Error('useChat has no session. Create one with sessionsApi.createSession() and pass its id.')
        await withSession(client, id, work)
      } catch (error) {
        setFailure(error instanceof Error ? error.message : String(error))
      }
    },
    [client, id],
  )
  const actions = useMemo(
    () => ({
      send: (content: MessageContent, modeOrOptions: Mode | ChatSendOptions = {}) =>
        act((session) => sendTo(session, content, modeOrOptions)),
      answer: (text: string, toolCallId: string, { selections = {}, custom = {} }: ChatAnswer) =>
        act((session) => session.answer({ tool_call_id: toolCallId, selections, custom }, { message: text })),
      append: (content: MessageContent) => act((session) => session.append(content)),
      stop: () =>
        act((session) => {
          setStopped(session.getState().runId)
          return session.stop()
        }),
    }),
    [act],
  )
  const { turns, status, errorMessage } = state ?? {}
  const shown = useMemo(
    () =>
      turns ? sessionMessages({ turns, status: status ?? null, errorMessage: errorMessage ?? null }) : NO_MESSAGES,
    [turns, status, errorMessage],
  )
  const isStreaming = state?.isStreaming ?? false
  return {
    ...shown,
    isStreaming,
    isStopping: isStreaming && stopped !== null && stopped === state?.runId,
    error: failure ?? errorMessage ?? null,
    ...actions,
  }
}

const whole = (state: AgentSessionState) => state

function sendTo(session: AgentSession, content: MessageContent, modeOrOptions: Mode | ChatSendOptions) {
  const { askUserAnswer, ...options } = typeof modeOrOptions === 'string' ? { mode: modeOrOptions } : modeOrOptions
  const { status, questions } = session.getState()
  const asked = status === 'waiting_for_input' ? questions.at(-1) : undefined
  const text = textOfContent(content)
  if (askUserAnswer) return session.answer(askUserAnswer, { message: text })
  if (asked && text.trim() !== '') return session.answer(answerOfText(asked, text), { message: text })
  return session.send(content, options)
}
