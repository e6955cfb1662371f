/** Blocks that only show something. */
import type { BlockType } from './block-type.ts'
import type { ContentBlock } from './content-block.ts'
import type { WebSearchResult } from './web-search.ts'

export type PlotField = { name: string; displayName: string; dataType: string }

/** First dimension: the category axis. Line and Column draw every measure, Pie and Circle the first. */
export type Plot = {
  chartType: 'Line' | 'Column' | 'Pie' | 'Circle'
  title?: string
  dimensions: PlotField[]
  measures: Array<PlotField & { aggregation?: string }>
  rows: Array<Record<string, unknown>>
}
export type Json2PlotBlock = ContentBlock<BlockType.Json2Plot, Plot>

/** ECharts option objects, drawn below each other. Untrusted: text-only tooltips, no links, no HTML formatters. */
export type ChartBlock = ContentBlock<
  BlockType.Chart,
  {
    options: object[]
    /** Default: the title in the option. */
    title?: string
    /** Pixels. */
    height?: number
    /** The same chart as a picture that the back end drew, for kinds that the kit cannot draw. */
    card?: UiCard
  }
>

export type CodeBlock = ContentBlock<BlockType.Code, { code: string; language?: string; title?: string }>

export type WebProcessorBlock = ContentBlock<
  BlockType.WebProcessor,
  { url: string; title?: string; size?: [number, number] }
>

/** Exactly one of `resourceHTML` and `resourceUri`. Drawn in a sandboxed frame. */
export type UiCard = {
  resourceHTML?: string
  resourceUri?: string
  target: 'inline' | 'preview'
  /** Pixels. */
  height?: number
  title?: string
  /** The call that made it; goes with what the card asks the page to do. */
  toolCallID?: string
}
export type UiCardBlock = ContentBlock<BlockType.UiCard, UiCard>

export type Source = WebSearchResult & {
  /** Its number in the text; default: its place in the list. 0: it has none, and nothing in the text leads to it. */
  position?: number
  score?: number
  /** The headings above the passage in its document, outermost first. */
  headings?: string[]
  /** Names a passage that `adapter.openSource` hands out, in its document. */
  id?: string
}

/** Numbered list; `[1]` in the text leads to the first. */
export type SourcesBlock = ContentBlock<BlockType.Sources, Source[]>

/** A passage with what stands around it in its document. Text, never markup. */
export type SourcePassage = { before: string; passage: string; after: string }

/** `id` names a file that the back end hands out on request, where no address would do. */
export type FileInfo = {
  name: string
  id?: string
  url?: string
  mediaType?: string
  size?: number
  preview?: string
}
export type FileBlock = ContentBlock<BlockType.File, FileInfo>

/** One muted line. A compaction carries its summary in `details`, which the line expands to. */
export type NoticeBlock = ContentBlock<
  BlockType.Notice,
  { text: string; level: 'info' | 'warning'; kind?: 'compaction'; details?: string }
>
