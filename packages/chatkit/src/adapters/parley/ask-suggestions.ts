import { ROOT_LOOP, type TurnProjection } from '@parley/protocol'
import type { Suggestions } from '@parley/protocol/rest'
import type { AgentSessionState } from '@parley/client'
import type { AdapterIO } from '../../model/chat-adapter.ts'
import type { Connection } from './connection.ts'

/** How questions to go on with are asked for; nothing where the server has none. */
export type AskSuggestions = (signal: AbortSignal) => Promise<Suggestions | null>

/** Asks a server, if it makes suggestions; one that could not be asked whether it does is asked again. */
export function createSuggestionsSource({ client, ask }: Pick<Connection, 'client' | 'ask'>) {
  let isOffered: Promise<boolean> | null = null
  return (id: string, io: AdapterIO): AskSuggestions =>
    async (signal) => {
      isOffered ??= io
        .authorised(() => client(io).api.get<{ suggestionsEnabled?: boolean }>('/api/config'))
        .then(({ suggestionsEnabled }) => suggestionsEnabled === true)
      const isEnabled = await isOffered.catch(() => {
        isOffered = null
        return false
      })
      return isEnabled ? ask(io, (sessions) => sessions.getSuggestions(id, { signal })) : null
    }
}

/**
 * Looks at every state of a session and asks once for each answer that ends it. Whoever goes on is not waited for: the
 * question about the answer before is called off.
 */
export function createSuggestionsAsker(ask: AskSuggestions, show: (found: Suggestions) => void) {
  let asked: string | null = null
  let pending: AbortController | null = null

  return ({ turns, isStreaming }: Pick<AgentSessionState, 'turns' | 'isStreaming'>, signal: AbortSignal): void => {
    const last = isStreaming ? undefined : turns.findLast(({ loop_id }) => loop_id === ROOT_LOOP)
    const answer = last && isAnswer(last) ? last.turn_id : null
    if (answer === asked) return
    asked = answer
    pending?.abort()
    pending = answer === null ? null : new AbortController()
    if (!pending) return
    const until = AbortSignal.any([signal, pending.signal])
    // Nice to have: nobody is told that there is nothing to ask next.
    ask(until).then(
      (found) => {
        if (found?.turn_id && !until.aborted) show(found)
      },
      () => {},
    )
  }
}

function isAnswer({ role, status }: TurnProjection): boolean {
  return role === 'assistant' && status === 'completed'
}
