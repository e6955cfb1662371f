import type { SplitBlock } from './block-splitter.ts'

/** Language of code, label of a footnote, else `''`. */
export function infoOf(block: SplitBlock, text: string, isOpen: boolean): string {
  if (block.kind === 'footnote') return /\[\^([^\]]+)\]/.exec(text.slice(block.start, block.end))?.[1] ?? ''
  if (block.kind !== 'fence') return ''
  const newline = text.indexOf('\n', block.start)
  // The language is shown once it is written to its end.
  if (newline < 0 && isOpen) return ''
  const line = text.slice(block.start, newline < 0 ? block.end : newline)
  return line.replace(/^ *(?:`+|~+)/, '').trim()
}

/** The lines of one part between the fences. */
export function codeOf(block: SplitBlock, part: number, text: string): string {
  const isLast = part === block.parts.length - 1
  const end = block.parts[part + 1] ?? block.end
  let from = block.parts[part]!
  if (part === 0) {
    const newline = text.indexOf('\n', from)
    if (newline < 0 || newline >= end) return ''
    from = newline + 1
  }
  let code = text.slice(from, end)
  if (isLast && block.isDone) code = code.replace(/(?:^|\n)[ \t]*(?:`+|~+)[ \t\r]*\n?$/, '')
  else if (isLast) code = code.replace(/\n$/, '')
  const { indent } = block.fence!
  return (indent > 0 ? code.replace(new RegExp(`^ {1,${indent}}`, 'gm'), '') : code).replaceAll('\r\n', '\n')
}
