import type { ReactNode } from 'react'
import { decodeEntities } from './decode-entities.ts'
import { FootnoteLink } from './footnotes.tsx'
import type { MarkdownToken } from './lex-part.ts'
import { ImageView, LinkView } from './link-view.tsx'
import { useMarkdownOptions } from './markdown-options.ts'
import { MathView } from './math-view.tsx'

/** Tags that text may use; attributes never come along. */
const TAGS = { sub: 'sub', sup: 'sup', kbd: 'kbd', mark: 'mark', details: 'details', summary: 'summary' } as const
/** Deeper than any author nests, shallower than the stack. */
export const MAX_DEPTH = 24

/** Tokens as elements. No string ever becomes HTML: what is not known is written out as the text it was. */
export function renderInline(tokens: readonly MarkdownToken[] | undefined, depth = 0): ReactNode[] {
  const nodes: ReactNode[] = []
  if (!tokens) return nodes
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    const tag = token.type === 'html' ? openTag(token.raw) : undefined
    const end = tag ? closingTag(tokens, i, tag) : -1
    if (tag && end > i) {
      const Tag = TAGS[tag]
      nodes.push(<Tag key={i}>{renderInline(tokens.slice(i + 1, end), depth + 1)}</Tag>)
      i = end
    } else nodes.push(renderToken(token, i, depth))
  }
  return nodes
}

function renderToken(token: MarkdownToken, key: number, depth: number): ReactNode {
  if (depth > MAX_DEPTH) return token.raw
  switch (token.type) {
    case 'text':
      return token.tokens ? (
        <span key={key}>{renderInline(token.tokens as MarkdownToken[], depth + 1)}</span>
      ) : (
        plainText(decodeEntities(token.text), key)
      )
    case 'escape':
      return token.text
    case 'strong':
      return <strong key={key}>{renderInline(token.tokens as MarkdownToken[], depth + 1)}</strong>
    case 'em':
      return <em key={key}>{renderInline(token.tokens as MarkdownToken[], depth + 1)}</em>
    case 'del':
      return <del key={key}>{renderInline(token.tokens as MarkdownToken[], depth + 1)}</del>
    case 'codespan':
      return <code key={key}>{token.text}</code>
    case 'br':
      return <br key={key} />
    case 'link':
      return (
        <LinkView key={key} href={token.href} title={token.title} label={token.text} raw={token.raw}>
          {renderInline(token.tokens as MarkdownToken[], depth + 1)}
        </LinkView>
      )
    case 'image':
      return <ImageView key={key} src={token.href} alt={decodeEntities(token.text)} title={token.title} />
    case 'math':
      return <MathView key={key} tex={token.text} isDisplay={token.isDisplay} isOpen={false} />
    case 'footnote':
      return <FootnoteLink key={key} label={token.label} />
    case 'checkbox':
      return null
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw) ? <br key={key} /> : decodeEntities(token.raw)
    default:
      return token.raw
  }
}

const plainText = (text: string, key: number): ReactNode =>
  text.includes('[') ? <BracketText key={key} text={text} /> : text

function BracketText({ text }: { text: string }): ReactNode {
  return useMarkdownOptions().renderText?.(text) ?? text
}

function openTag(raw: string): keyof typeof TAGS | undefined {
  const name = /^<([a-z]+)(?:\s[^<>]*)?>\s*$/i.exec(raw)?.[1]?.toLowerCase()
  return name !== undefined && Object.hasOwn(TAGS, name) ? (name as keyof typeof TAGS) : undefined
}

function closingTag(tokens: readonly MarkdownToken[], from: number, tag: string): number {
  let depth = 0
  for (let i = from; i < tokens.length; i++) {
    const token = tokens[i]!
    if (token.type !== 'html') continue
    if (openTag(token.raw) === tag) depth++
    else if (token.raw.trim().toLowerCase() === `</${tag}>` && --depth === 0) return i
  }
  return -1
}
