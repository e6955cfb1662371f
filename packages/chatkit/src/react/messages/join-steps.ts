import type { Block, ChatMessage, SubAgentBlock } from '../../model/chat-message.ts'
import type { ToolBlock } from '../../model/tool-block.ts'
import { isSameGroup } from './message-groups.ts'

/** A block, and the message that it is of: steps of one answer stand together, whichever of its messages brought them. */
export type Part = { block: Block; message: ChatMessage }

/** What of a message stands elsewhere. */
export type Joined = {
  /** So many of its first blocks stand with the steps of a message before it. */
  skipped: number
  /** Steps of later messages that stand with its own, below them. */
  parts: readonly Part[]
}

/**
 * An agent that works step by step tells each step in a message of its own; to the reader they are one list. Messages that
 * are not in the result stand as they are. `before` is the last result: what is the same again is the same object.
 */
export function joinSteps(
  messages: readonly ChatMessage[],
  before: ReadonlyMap<string, Joined> = NOTHING,
): ReadonlyMap<string, Joined> {
  const found = new Map<string, { skipped: number; parts: Part[] }>()
  const at = (id: string) => found.get(id) ?? found.set(id, { skipped: 0, parts: [] }).get(id)!
  let host: ChatMessage | undefined
  for (const [i, message] of messages.entries()) {
    const { content, messageID } = message
    const own = content.findIndex((block) => !isStep(block))
    const skipped = !host || !isSameGroup(messages[i - 1], message) ? 0 : own < 0 ? content.length : own
    if (skipped > 0 && host) {
      at(messageID).skipped = skipped
      at(host.messageID).parts.push(...content.slice(0, skipped).map((block) => ({ block, message })))
    }
    const last = content.at(-1)
    const isCut = message.error !== undefined || message.status === 'stopped' || message.status === 'interrupted'
    // Something stands below this one's steps, or it has none: what follows begins anew.
    if (isCut || !last || !isStep(last)) host = undefined
    else if (skipped < content.length) host = message
  }
  return found.size === 0 ? NOTHING : new Map([...found].map(([id, now]) => [id, sameOr(before.get(id), now)]))
}

const NOTHING: ReadonlyMap<string, Joined> = new Map()

function sameOr(before: Joined | undefined, now: Joined): Joined {
  const isSame =
    before?.skipped === now.skipped &&
    before.parts.length === now.parts.length &&
    before.parts.every(({ block }, i) => block === now.parts[i]?.block)
  return isSame ? before : now
}

const STEPS: ReadonlySet<string> = new Set(['Tool', 'SubAgent', 'WebSearch', 'Reasoning'])

/** Something that was done on the way to the answer. */
export const isStep = ({ type }: Block): boolean => STEPS.has(type)

/** Done, and done well: it may be folded away. */
export function isFinished({ block, message }: Part): boolean {
  if (block.type === 'Tool' || block.type === 'SubAgent')
    return ((block as ToolBlock | SubAgentBlock).content.status ?? 'done') === 'done'
  return !isStreaming({ block, message })
}

/** It may still grow. */
export const isStreaming = ({ block, message: { status, content } }: Part): boolean =>
  (status === 'streaming' || status === 'waiting') && block === content.at(-1)

export const durationOf = ({ block }: Part): number =>
  (block.content as { durationMs?: number } | null)?.durationMs ?? block.consumeTime ?? 0
