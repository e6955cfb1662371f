/**
 * What a block is; each type has its own component. Open: a type not listed here is drawn as "unsupported content",
 * never dropped. The upper-case names are for code written against the published kit.
 */
export const BlockType = {
  Text: 'Text',
  Markdown: 'Markdown',
  WebSearch: 'WebSearch',
  Tool: 'Tool',
  Reasoning: 'Reasoning',
  Json2Plot: 'Json2Plot',
  Chart: 'Chart',
  Code: 'Code',
  WebProcessor: 'WebProcessor',
  UiCard: 'UiCard',
  Question: 'Question',
  Confirmation: 'Confirmation',
  SubAgent: 'SubAgent',
  Plan: 'Plan',
  Tasks: 'Tasks',
  Sources: 'Sources',
  File: 'File',
  Notice: 'Notice',
  TEXT: 'Text',
  MARKDOWN: 'Markdown',
  WEB_SEARCH: 'WebSearch',
} as const

export type BlockType = (typeof BlockType)[keyof typeof BlockType]

// A namespace of types only: the specification writes `type: BlockType.Text`, and a const object alone has no types inside.
export declare namespace BlockType {
  export type Text = 'Text'
  export type Markdown = 'Markdown'
  export type WebSearch = 'WebSearch'
  export type Tool = 'Tool'
  export type Reasoning = 'Reasoning'
  export type Json2Plot = 'Json2Plot'
  export type Chart = 'Chart'
  export type Code = 'Code'
  export type WebProcessor = 'WebProcessor'
  export type UiCard = 'UiCard'
  export type Question = 'Question'
  export type Confirmation = 'Confirmation'
  export type SubAgent = 'SubAgent'
  export type Plan = 'Plan'
  export type Tasks = 'Tasks'
  export type Sources = 'Sources'
  export type File = 'File'
  export type Notice = 'Notice'
  export type TEXT = 'Text'
  export type MARKDOWN = 'Markdown'
  export type WEB_SEARCH = 'WebSearch'
}
