import type { BlockType } from './block-type.ts'
import type { WebSearchQuery } from './web-search.ts'

/** Base of all blocks: one typed piece of a message. Plain data; a block that changes becomes a new object. */
export type ContentBlock<T = string, K = unknown> = {
  type: T
  content: K
  /** Duration in ms. */
  consumeTime?: number
  /** Identity of the block within its message. Every block the kit hands out has one. */
  key?: string
}

/** Shown as it is, never parsed. */
export type TextBlock = ContentBlock<BlockType.Text, string>

/** Assistant text; the content is always the complete text of its segment so far. */
export type MarkdownBlock = ContentBlock<BlockType.Markdown, string>

export type WebSearchBlock = ContentBlock<BlockType.WebSearch, WebSearchQuery>
