import type { HistoryNode, SessionHistory } from '@parley/protocol/rest'
import type { ModelMessage, ToolSpec, UserPart } from '../ports.ts'
import { isInForce } from './compaction/compacted.ts'
import { TOKENIZER, type TokenCounter } from './compaction/token-counter.ts'
import { contextOf, type StoredTurn } from './stored-turns.ts'

/** What goes to the model before a conversation. */
export type Preamble = { system: string; tools: readonly ToolSpec[] }

/** [W12.2] A session as its model gets it: what `context.ts` makes of its finished turns, message by message. */
export async function readHistory(
  turns: readonly StoredTurn[],
  preamble: Preamble,
  counter: TokenCounter,
): Promise<SessionHistory> {
  const { system, tools } = await counter.ofPreamble(preamble)
  return {
    nodes: nodesOf([...turns.filter(isSummary), ...turns.filter((stored) => !isSummary(stored))]),
    system_prompt_tokens: system,
    tools_tokens: tools,
    tokenizer_model: TOKENIZER,
    estimated: true,
  }
}

/** What a conversation begins with after a compaction. */
function isSummary({ turn }: StoredTurn): boolean {
  return isInForce(turn)
}

function nodesOf(turns: readonly StoredTurn[]): HistoryNode[] {
  const nodes: HistoryNode[] = []
  const lastOf = new Map<string, string>()
  const madeBy = new Map<string, string>()
  for (const stored of turns) {
    const { turn_id, loop_id, started_at, deprecated, tool_calls, parent_fork_tool_call_id } = stored.turn
    for (const [index, message] of contextOf([stored]).entries()) {
      const id = `${turn_id}.${index}`
      if (message.role === 'assistant') for (const call of tool_calls) madeBy.set(call.id, id)
      const parent_id = lastOf.get(loop_id) ?? madeBy.get(parent_fork_tool_call_id ?? '') ?? null
      lastOf.set(loop_id, id)
      nodes.push({
        id,
        parent_id,
        turn_id,
        loop_id,
        role: message.role,
        message: asChatCompletion(message),
        created_at: started_at,
        deprecated: deprecated ?? false,
      })
    }
  }
  return nodes
}

/** In the form that most programs know. */
function asChatCompletion(message: ModelMessage): Record<string, unknown> {
  if (message.role === 'tool') {
    const { tool_call_id, tool_name, text } = message
    return { role: 'tool', tool_call_id, name: tool_name, content: text }
  }
  if (message.role === 'user') {
    const isText = message.content.every(({ type }) => type === 'text')
    return { role: 'user', content: isText ? textIn(message.content) : message.content.map(userPart) }
  }
  const thinking = message.content.map((part) => (part.type === 'thinking' ? part.text : '')).join('')
  const calls = message.content.flatMap((part) => (part.type === 'tool_call' ? [part] : []))
  const tool_calls = calls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  }))
  return {
    role: 'assistant',
    content: textIn(message.content),
    ...(thinking !== '' && { reasoning_content: thinking }),
    ...(tool_calls.length > 0 && { tool_calls }),
  }
}

function textIn(parts: readonly { type: string; text?: string }[]): string {
  return parts.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('')
}

/** A picture's bytes are a file of the workspace already; a history of them would be read by nobody. */
function userPart(part: UserPart): Record<string, unknown> {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const url = part.url.startsWith('data:') ? part.url.slice(0, part.url.indexOf(',') + 1) : part.url
  return { type: 'image_url', image_url: { url } }
}
