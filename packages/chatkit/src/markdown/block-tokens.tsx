import type { Tokens } from 'marked'
import { createElement, type ReactNode } from 'react'
import { CodeBlock } from './code-block.tsx'
import { MAX_DEPTH, renderInline } from './inline-view.tsx'
import { lexInline, type MarkdownToken } from './lex-part.ts'
import { useMarkdownOptions } from './markdown-options.ts'
import { MathView } from './math-view.tsx'
import { NestedTable } from './table-view.tsx'

/** Block tokens as elements. */
export function renderBlocks(tokens: readonly MarkdownToken[], depth: number): ReactNode[] {
  return tokens.map((token, i) => <BlockToken key={i} token={token} depth={depth} />)
}

function BlockToken({ token, depth }: { token: MarkdownToken; depth: number }): ReactNode {
  const { headingOffset } = useMarkdownOptions()
  if (depth > MAX_DEPTH) return <p>{token.raw}</p>
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return null
    case 'heading':
      return createElement(
        `h${Math.min(6, token.depth + headingOffset)}`,
        { className: `ck-h${token.depth}` },
        ...renderInline(token.tokens as MarkdownToken[]),
      )
    case 'paragraph':
      return <p>{renderInline(token.tokens as MarkdownToken[])}</p>
    case 'text':
      return token.tokens ? renderInline(token.tokens as MarkdownToken[]) : renderInline([token])
    case 'hr':
      return <hr />
    case 'blockquote':
      return <blockquote>{renderBlocks(token.tokens as MarkdownToken[], depth + 1)}</blockquote>
    case 'code':
      return <CodeBlock code={token.text} language={token.lang ?? ''} />
    case 'list':
      return <NestedList list={token} depth={depth + 1} />
    case 'table':
      return <NestedTable table={token} />
    case 'math':
      return <MathView tex={token.text} isDisplay isOpen={false} />
    case 'details':
      return (
        <details open={token.isOpen}>
          <summary>{renderInline(token.summary)}</summary>
          {renderBlocks(token.tokens, depth + 1)}
        </details>
      )
    case 'html':
      // Shown as it was written, but for the few harmless tags that inline text may use.
      return <p className="ck-html">{renderInline(lexInline(token.raw.trimEnd(), Object.create(null)))}</p>
    default:
      return renderInline([token])
  }
}

/** A list inside something else, drawn whole. */
function NestedList({ list, depth }: { list: Tokens.List; depth: number }) {
  return (
    <ListElement
      list={list}
      isLoose={list.loose}
      items={list.items.map((item, i) => (
        <ItemView key={i} item={item} depth={depth} />
      ))}
    />
  )
}

export function ListElement({
  list,
  isLoose,
  items,
}: {
  list: Tokens.List | undefined
  isLoose: boolean
  items: ReactNode[]
}) {
  const loose = isLoose ? { 'data-loose': true } : {}
  if (!list?.ordered) return <ul {...loose}>{items}</ul>
  return (
    <ol {...loose} {...(list.start !== 1 && list.start !== '' && { start: list.start })}>
      {items}
    </ol>
  )
}

export function ItemView({ item, depth, children }: { item: Tokens.ListItem; depth: number; children?: ReactNode }) {
  const { texts } = useMarkdownOptions()
  const tokens = item.tokens as MarkdownToken[]
  if (!item.task)
    return (
      <li>
        {renderBlocks(tokens, depth)}
        {children}
      </li>
    )
  return (
    <li className="ck-task">
      <span
        className="ck-task-box"
        role="img"
        aria-label={item.checked ? texts.taskDone : texts.taskOpen}
        data-checked={item.checked}
      />
      <div>
        {renderBlocks(tokens, depth)}
        {children}
      </div>
    </li>
  )
}
