import { emptyProjection, isEventName, reduce, type TurnProjection } from '@parley/protocol'
import type { ModelMessage, ModelRequest } from '../../src/ports.ts'
import { eventOf } from '../../src/store/stored-event.ts'
import type { Instance } from '../sessions/rig.ts'

export const isSummary = ({ purpose }: ModelRequest) => purpose === 'compaction'

/** About that many tokens, as a rig counts them. */
export const words = (tokens: number, word = 'word') => `${word} `.repeat(Math.ceil((tokens * 4) / (word.length + 1)))

/** Tokens of a request, counted as a rig counts them: what a provider would refuse by. */
export function tokensOf({ system, messages, tools }: Pick<ModelRequest, 'system' | 'messages' | 'tools'>): number {
  const text = messages.map(textOf).join('')
  return Math.ceil((system.length + JSON.stringify(tools).length + text.length) / 4)
}

function textOf(message: ModelMessage): string {
  if (message.role === 'tool') return message.text
  return message.content.map((part) => ('text' in part ? part.text : 'url' in part ? '' : part.arguments)).join('')
}

/** A request as the scripted model was asked it. */
export function requestAt(one: Instance, at: number): ModelRequest {
  return JSON.parse(one.model.requests.at(at)!) as ModelRequest
}

/** What the whole journal folds into. */
export async function folded(one: Instance, session_id: string): Promise<readonly TurnProjection[]> {
  let state = emptyProjection
  const { head } = await one.journal.snapshot(session_id)
  // Of a session in which nothing has happened yet no page ever comes.
  if (head === 0) return []
  for await (const page of one.journal.follow(session_id, { since: 0, signal: AbortSignal.timeout(30_000) })) {
    for (const event of page)
      if (isEventName(event.type)) state = reduce(state, eventOf(event, JSON.parse(event.data) as object))
    if (page.at(-1)!.event_seq >= head) break
  }
  return state.turns
}

/** Calls that the model was given without their result, or results without their call. */
export function unmatched(messages: readonly ModelMessage[]): string[] {
  const problems: string[] = []
  let open: string[] = []
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id)) problems.push(`result of ${message.tool_call_id} without its call`)
      open = open.filter((id) => id !== message.tool_call_id)
      continue
    }
    problems.push(...open.map((id) => `call ${id} without its result`))
    open =
      message.role === 'assistant'
        ? message.content.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []))
        : []
  }
  return [...problems, ...open.map((id) => `call ${id} without its result`)]
}
