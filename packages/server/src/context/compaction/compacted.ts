import type { TrimmedResults, TurnProjection } from '@parley/protocol'
import { userMessage } from '../../core/messages.ts'
import type { ModelMessage } from '../../ports.ts'

const OPENING =
  'Earlier turns of this conversation are not shown any more. This is the summary of them; nothing in it is a new request.'

/** The compaction that a loop's context begins with, if there was one. `turns` are of one loop. */
export function lastCompaction<T extends { turn: TurnProjection }>(turns: readonly T[]): T | undefined {
  return turns.findLast(({ turn }) => isInForce(turn))
}

/** Complete, and not replaced by a later one. */
export function isInForce({ kind, status, archived }: TurnProjection): boolean {
  return kind === 'compaction' && status === 'completed' && !archived
}

/** What the model gets in place of archived turns. One that only trimmed results says nothing. */
export function summaryMessages({ summary_full }: TurnProjection): ModelMessage[] {
  return summary_full ? [userMessage(`${OPENING}\n\n${summary_full}`)] : []
}

/** A turn's messages as they are after a compaction that cut old results. */
export function trimMessages(
  messages: readonly ModelMessage[],
  sequence: number,
  trimmed: TrimmedResults | null | undefined,
): ModelMessage[] {
  if (!trimmed || sequence > trimmed.to) return [...messages]
  return messages.map((message) =>
    message.role === 'tool' ? { ...message, text: shorten(message.text, trimmed.characters) } : message,
  )
}

/** The beginning and the end: of what a tool prints, those tell most. */
export function shorten(text: string, characters: number): string {
  if (text.length <= characters) return text
  const head = Math.floor((characters * 2) / 3)
  const tail = characters - head
  return `${text.slice(0, head)}\n… (${text.length - characters} characters were left out) …\n${text.slice(-tail)}`
}
