import { createContext, useContext, type MouseEvent, type ReactNode } from 'react'
import { useMarkdownOptions } from './markdown-options.ts'

/** Prefix of the ids of one rendered text; two answers may both have a footnote 1. */
export const FootnoteScope = createContext('')

/** The number in the text. The page's address stays: hosts route by it. */
export function FootnoteLink({ label }: { label: string }) {
  const { texts } = useMarkdownOptions()
  const id = useContext(FootnoteScope) + label
  const jump = (event: MouseEvent) => {
    event.preventDefault()
    const target = (event.currentTarget.getRootNode() as Document | ShadowRoot).getElementById(id)
    target?.scrollIntoView({ block: 'nearest' })
    target?.focus()
  }
  return (
    <sup className="ck-footnote-link">
      <a className="ck-link" href={`#${id}`} aria-label={`${texts.footnote} ${label}`} onClick={jump}>
        {label}
      </a>
    </sup>
  )
}

export function Footnote({ label, children }: { label: string; children: ReactNode }) {
  const id = useContext(FootnoteScope) + label
  return (
    <div className="ck-footnote" role="note" id={id} tabIndex={-1}>
      <sup>{label}</sup>
      <div>{children}</div>
    </div>
  )
}
