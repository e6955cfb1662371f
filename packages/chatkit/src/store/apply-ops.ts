import { BlockType } from '../model/block-type.ts'
import type { Block, ChatMessage } from '../model/chat-message.ts'
import type { ChatOp, KeyedBlock } from '../model/chat-op.ts'
import type { ReasoningBlock, ToolBlock } from '../model/tool-block.ts'
import { isSameValue } from './is-same-value.ts'

/**
 * A message after some ops. The block list is copied once for all of them and each op touches one block, so a long
 * message costs no more per increment than a short one. Untouched blocks, and a message nothing changed in, stay the
 * same objects. Ops that are not about a message change nothing.
 */
export function applyOps(message: ChatMessage, ops: readonly ChatOp[]): ChatMessage {
  const draft: Draft = { message, content: null }
  for (const op of ops) applyOp(draft, op)
  return draft.content ? { ...draft.message, content: draft.content } : draft.message
}

type Draft = { message: ChatMessage; content: Block[] | null }

function applyOp(draft: Draft, op: ChatOp): void {
  switch (op.op) {
    case 'text':
      return putText(draft, op.key, () => op.text)
    case 'text_delta':
      return putText(draft, op.key, (before) => before + op.delta)
    case 'reasoning':
      return putReasoning(draft, op.key, () => op.text)
    case 'reasoning_delta':
      return putReasoning(draft, op.key, (before) => before + op.delta)
    case 'block':
      return put(draft, op.block, op.after)
    case 'context':
      return putContext(draft, op.patch)
    case 'message':
      draft.message = { ...draft.message, messageID: op.id, messageId: op.id }
      return
    default:
      // A new op fails to compile here.
      op.op satisfies
        | 'conversation'
        | 'handle'
        | 'bridge'
        | 'branches'
        | 'messages'
        | 'connection'
        | 'mode'
        | 'active'
        | 'end'
        | 'error'
  }
}

function putText(draft: Draft, key: string, change: (before: string) => string): void {
  const found = find(draft, key)
  const before = found?.type === BlockType.Markdown ? (found.content as string) : ''
  const text = change(before)
  if (text === before && (found || text === '')) return
  put(draft, { ...found, type: BlockType.Markdown, content: text, key })
}

function putReasoning(draft: Draft, key: string, change: (before: string) => string): void {
  const found = find(draft, key)
  const before = found?.type === BlockType.Reasoning ? (found as ReasoningBlock).content : { text: '' }
  const text = change(before.text)
  if (text === before.text) return
  put(draft, { ...found, type: BlockType.Reasoning, content: { ...before, text }, key })
}

function putContext(draft: Draft, patch: object): void {
  const before = draft.message.messageContext ?? {}
  const messageContext = { ...before, ...patch }
  if (!isSameValue(messageContext, before)) draft.message = { ...draft.message, messageContext }
}

function put(draft: Draft, block: KeyedBlock, after?: string): void {
  const index = indexOf(draft, block.key)
  const blocks = draft.content ?? draft.message.content
  if (index >= 0 && isSameValue(blocks[index], block)) return
  draft.content ??= [...blocks]
  if (index >= 0) draft.content[index] = block
  else draft.content.splice((after && indexOf(draft, after) + 1) || blocks.length, 0, block)
}

function find(draft: Draft, key: string): Block | undefined {
  return (draft.content ?? draft.message.content)[indexOf(draft, key)]
}

/** From the end: nearly every increment is about the newest block. */
function indexOf(draft: Draft, key: string): number {
  return (draft.content ?? draft.message.content).findLastIndex((block) => block.key === key)
}

/** Nothing works on after the end of a run: a call without a result is done, or was cancelled with the run. */
export function closeBlocks(message: ChatMessage, status: 'completed' | 'stopped' | 'failed'): ChatMessage {
  const isOpen = (block: Block): block is ToolBlock =>
    block.type === BlockType.Tool && (block as ToolBlock).content.status === 'pending'
  if (!message.content.some(isOpen)) return message
  const closed = status === 'completed' ? 'done' : 'cancelled'
  const content = message.content.map((block) =>
    isOpen(block) ? { ...block, content: { ...block.content, status: closed } } : block,
  )
  return { ...message, content }
}
