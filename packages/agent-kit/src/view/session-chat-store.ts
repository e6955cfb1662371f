import type { ChatMessage, ChatState, ChatStore, SendOptions } from '@parley/chatkit'
import type { AgentSessionState, ParleyClient } from '@parley/client'
import { answerOfText } from '../messages/answer-of-text.ts'
import { findHeldSession, holdSession, withSession } from '../sessions/held-sessions.ts'
import { useUiBridgeStore } from '../sessions/ui-bridge-store.ts'
import { mergeContexts } from './merge-contexts.ts'

export type SessionChatOptions = {
  client: ParleyClient
  sessionId: string
  /** How messages are drawn. */
  display: (messages: ChatMessage[]) => ChatMessage[]
}

/**
 * The chat of a whole session. ChatKit's store knows the runs that it began; here also those that somebody else began
 * stop with the button, a text answers the question that waits, and pending contexts go with the next message.
 */
export function sessionChatStore(base: ChatStore, { client, sessionId, display }: SessionChatOptions): ChatStore {
  const session = () => findHeldSession(client, sessionId)
  const isBusy = () => session()?.getState().isStreaming ?? false
  let made: { from: ChatState; isBusy: boolean; state: ChatState } | null = null

  const getSnapshot = (): ChatState => {
    const from = base.getSnapshot()
    const busy = isBusy()
    if (made?.from === from && made.isBusy === busy) return made.state
    const status = from.status === 'idle' && busy ? 'streaming' : from.status
    made = { from, isBusy: busy, state: { ...from, status, messages: display(from.messages) } }
    return made.state
  }

  const answerQuestion: ChatStore['answerQuestion'] = async (answer) => {
    if (base.getSnapshot().run === null) return base.answerQuestion(answer)
    // A sub-agent asks while others work on: the run under way takes the answer.
    const { questionID: tool_call_id, selections, custom } = answer
    await withSession(client, sessionId, (live) => live.answer({ tool_call_id, selections, custom }))
    return undefined
  }

  const send = async (text: string, settings: SendOptions = {}) => {
    if (getSnapshot().status !== 'idle' || text.trim() === '') return base.send(text, settings)
    const asked = openQuestion(session()?.getState())
    if (asked && !settings.edit && !settings.regenerate) {
      if (settings.fromInput) base.setTextInput('')
      const { tool_call_id: questionID, selections, custom } = answerOfText(asked, text)
      return base.answerQuestion({ questionID, selections, custom }).catch((error: unknown) => {
        const isRefused = openQuestion(session()?.getState())?.tool_call_id === questionID
        if (isRefused && settings.fromInput && base.getSnapshot().textInput === '') base.setTextInput(text)
        throw error
      })
    }
    const { pendingContextsBySession, takePendingContexts } = useUiBridgeStore.getState()
    const contexts = pendingContextsBySession[sessionId]!
    if (contexts.length === 0) return base.send(text, settings)
    const sent = base.send(text, { ...settings, context: mergeContexts(contexts) })
    // A call that is refused at once, as too long for example, changes nothing.
    if (base.getSnapshot().run === null) return sent
    takePendingContexts(sessionId)
    // ChatKit would keep it for the messages after this one.
    base.removeApplicationContext()
    return sent
  }

  return {
    ...base,
    getSnapshot,
    subscribe(onChange) {
      let wasBusy = isBusy()
      const look = () => {
        if (isBusy() === wasBusy) return
        wasBusy = !wasBusy
        onChange()
      }
      const release = holdSession(client, sessionId)
      const undo = [base.subscribe(onChange), session()!.subscribe(look), release]
      return () => {
        for (const stop of undo) stop()
      }
    },
    send,
    stop: async () => {
      if (base.getSnapshot().run !== null) return base.stop()
      await withSession(client, sessionId, (live) => live.stop())
    },
    answerQuestion,
  }
}

function openQuestion(state: AgentSessionState | undefined) {
  return state?.status === 'waiting_for_input' ? state.questions.at(-1) : undefined
}
