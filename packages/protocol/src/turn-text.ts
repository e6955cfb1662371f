import type { TurnProjection } from './turn.ts'

/** The answer's plain text: all `text` blocks in order, without separators. */
export function textOf(turn: Pick<TurnProjection, 'blocks'>): string {
  return contentOf(turn, 'text')
}

/** The model's reasoning: all `thinking` blocks in order, without separators. */
export function thinkingOf(turn: Pick<TurnProjection, 'blocks'>): string {
  return contentOf(turn, 'thinking')
}

function contentOf({ blocks }: Pick<TurnProjection, 'blocks'>, type: 'text' | 'thinking'): string {
  return blocks.map((block) => (block.type === type ? block.content : '')).join('')
}
