import { Lexer, Tokenizer, type Links, type MarkedOptions, type MarkedToken, type Tokens } from 'marked'
import { inlineRules } from './inline-rules.ts'
import { mathAt, mathExtension, mathStart, maskMath, mayHoldMath, type MathToken } from './math-syntax.ts'
import { isTooNested } from './nesting.ts'

export type FootnoteToken = { type: 'footnote'; raw: string; label: string }
export type DetailsToken = {
  type: 'details'
  raw: string
  summary: MarkdownToken[]
  tokens: MarkdownToken[]
  isOpen: boolean
}
/** Everything the renderer knows; what marked may add later is drawn as its raw text. */
export type MarkdownToken = MarkedToken | MathToken | FootnoteToken | DetailsToken

/** Reads one part of a text. Definitions of link addresses are taken from `links` and added to it. Never throws. */
export function lexPart(source: string, links: Links): MarkdownToken[] {
  if (isTooNested(source)) return plainText(source)
  try {
    return [...createLexer(source, links).lex(source)] as MarkdownToken[]
  } catch {
    // Nested deeper than the stack: the reader gets the text as it was written.
    return plainText(source)
  }
}

/** Reads text that stands inside a block: a table cell, a summary, raw HTML. */
export function lexInline(source: string, links: Links): MarkdownToken[] {
  try {
    return createLexer(source, links).inlineTokens(source) as MarkdownToken[]
  } catch {
    return [{ type: 'text', raw: source, text: source, escaped: false }]
  }
}

export function lexMathBlock(source: string, links: Links): MarkdownToken[] {
  const math = mathAt(source.trim())
  return math?.isDisplay && math.raw.length === source.trim().length ? [math] : lexPart(source, links)
}

/** `[^label]: text`, with further lines indented. */
export function lexFootnote(source: string, links: Links): MarkdownToken[] {
  return lexPart(source.replace(/^[^:]*:/, '').replace(/^[ \t]+/gm, ''), links)
}

export function lexDetails(source: string, links: Links): MarkdownToken[] {
  const match =
    /^\s*<details(\s[^<>]*)?>\s*(?:<summary>([\s\S]*?)(?:<\/summary>|$))?([\s\S]*?)(?:<\/details>\s*)?$/i.exec(source)
  if (!match) return lexPart(source, links)
  const [, attributes = '', summary = '', body = ''] = match
  return [
    {
      type: 'details',
      raw: source,
      summary: lexInline(summary.trim(), links),
      tokens: lexPart(body.trim(), links),
      isOpen: /\bopen\b/i.test(attributes),
    },
  ]
}

function createLexer(source: string, links: Links): Lexer {
  const tokenizer = new Tokenizer()
  const lexer = new Lexer({ ...optionsFor(source), tokenizer })
  tokenizer.rules = { ...tokenizer.rules, inline: inlineRules }
  lexer.tokens.links = links
  return lexer
}

const footnote = (source: string): FootnoteToken | undefined => {
  const match = /^\[\^([^\]\s]+)\]/.exec(source)
  return match ? { type: 'footnote', raw: match[0], label: match[1]! } : undefined
}
const footnoteStart = (source: string): number | undefined => {
  const at = source.indexOf('[^')
  return at < 0 ? undefined : at
}

function optionsFor(source: string): MarkedOptions {
  const options: MarkedOptions = { gfm: true, breaks: true }
  const hasMath = mayHoldMath(source)
  const hasFootnotes = source.includes('[^')
  if (!hasMath && !hasFootnotes) return options
  const inline = [...(hasMath ? [mathExtension] : []), ...(hasFootnotes ? [footnote] : [])]
  const startInline = [...(hasMath ? [mathStart] : []), ...(hasFootnotes ? [footnoteStart] : [])]
  const hooks = hasMath ? ({ emStrongMask: maskMath } as NonNullable<MarkedOptions['hooks']>) : null
  return { ...options, extensions: { inline, startInline, renderers: {}, childTokens: {} }, hooks }
}

function plainText(source: string): MarkdownToken[] {
  const text: Tokens.Text = { type: 'text', raw: source, text: source }
  return [{ type: 'paragraph', raw: source, text: source, tokens: [text] }]
}
