import { createContext, useContext, type ReactNode } from 'react'
import { loadHighlighter, loadMath } from '../lazy/parts.ts'

/** One coloured piece of code; `kind` becomes the class `ck-code-<kind>`. */
export type HighlightSpan = { text: string; kind?: HighlightKind }
export type HighlightKind =
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'name'
  | 'type'
  | 'operator'
  | 'added'
  | 'removed'
/** Code as lines of pieces; `undefined` for a language it does not know. */
export type Highlighter = (code: string, language: string) => readonly (readonly HighlightSpan[])[] | undefined

/** Draws a formula into an empty element, as `katex.render` does. It must not insert strings as HTML. */
export type MathRenderer = (target: HTMLElement, tex: string, options: { display: boolean }) => void

export type MarkdownTexts = {
  copyCode: string
  copied: string
  loadImage: string
  imageFrom: string
  codeIn: string
  table: string
  taskDone: string
  taskOpen: string
  footnote: string
}

export type MarkdownOptions = {
  texts: MarkdownTexts
  /** Hosts or origins whose images load by themselves; the page's own origin always does. */
  imageHosts: readonly string[]
  /** Write the host behind links whose text does not name it. */
  showDestinations: boolean
  /** Levels that headings move down, below those of the page around the answer. */
  headingOffset: number
  /** Called at the first closed code block that names a language. Default: the kit's own, downloaded then. */
  loadHighlighter?: () => Promise<Highlighter>
  /** Called at the first formula. Default: KaTeX, downloaded then. */
  loadMath?: () => Promise<MathRenderer>
  /** Draws a piece of plain text that holds a bracket; by default it is what it says. */
  renderText?: ((text: string) => ReactNode) | undefined
  /** Draws a closed diagram (Mermaid and the like) inside a sandboxed frame; `undefined`: shown as code. */
  renderDiagram?: (source: string, language: string) => ReactNode
}

export const defaultMarkdownOptions: MarkdownOptions = {
  texts: {
    copyCode: 'Copy code',
    copied: 'Copied',
    loadImage: 'Load image',
    imageFrom: 'Image from',
    codeIn: 'Code',
    table: 'Table',
    taskDone: 'Done',
    taskOpen: 'Not done',
    footnote: 'Footnote',
  },
  imageHosts: [],
  showDestinations: true,
  headingOffset: 2,
  loadHighlighter,
  loadMath,
}

const Options = createContext<MarkdownOptions>(defaultMarkdownOptions)

/** Sets the options of every `<Markdown>` below. */
export const MarkdownOptionsProvider = Options.Provider
export const useMarkdownOptions = (): MarkdownOptions => useContext(Options)
