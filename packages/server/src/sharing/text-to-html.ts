import { escapeText } from '../http/escape-text.ts'

/**
 * Of Markdown, what answers are mostly made of: paragraphs, headings, lists, tables, code, bold words and links. Everything
 * else stands there as it was written. Each line is looked at once.
 */
export function textToHtml(text: string): string {
  const parts: string[] = []
  let lines: string[] = []
  let fence: string | undefined
  const flush = () => {
    if (fence !== undefined) parts.push(`<pre><code>${escapeText(lines.join('\n'))}</code></pre>`)
    else parts.push(...blocksIn(lines))
    lines = []
  }
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined && mark !== undefined) {
      flush()
      fence = mark
    } else if (fence !== undefined && mark?.startsWith(fence) && line.trim() === mark) {
      flush()
      fence = undefined
    } else if (fence === undefined && line.trim() === '') flush()
    else lines.push(line)
  }
  flush()
  return parts.join('')
}

type Kind = 'p' | 'heading' | 'ul' | 'ol' | 'table'

/** Lines that no empty one divides: neighbours of one kind are a block. */
function blocksIn(lines: readonly string[]): string[] {
  const blocks: { kind: Kind; lines: string[] }[] = []
  for (const line of lines) {
    const kind = kindOf(line)
    const last = blocks.at(-1)
    if (last?.kind === kind && kind !== 'heading') last.lines.push(line)
    // What is set in under an item belongs to it.
    else if (kind === 'p' && (last?.kind === 'ul' || last?.kind === 'ol') && line.startsWith(' '))
      last.lines.push(`${last.lines.pop()}\n${line.trim()}`)
    else blocks.push({ kind, lines: [line] })
  }
  return blocks.map(blockHtml)
}

function kindOf(line: string): Kind {
  if (/^#{1,6} /.test(line)) return 'heading'
  if (/^\s{0,12}[-*+] /.test(line)) return 'ul'
  if (/^\s{0,12}\d{1,9}[.)] /.test(line)) return 'ol'
  return line.trimStart().startsWith('|') ? 'table' : 'p'
}

function blockHtml({ kind, lines }: { kind: Kind; lines: readonly string[] }): string {
  switch (kind) {
    case 'p':
      return `<p>${inlineHtml(lines.join('\n').trim())}</p>`
    case 'heading':
      return `<p class="heading">${inlineHtml(lines[0]!.replace(/^#+ /, ''))}</p>`
    case 'ul':
    case 'ol': {
      const items = lines.map((line) => `<li>${inlineHtml(line.replace(/^\s*(?:[-*+]|\d+[.)]) /, ''))}</li>`)
      return `<${kind}>${items.join('')}</${kind}>`
    }
    case 'table': {
      const rows = lines.filter((line) => !/^[\s|:-]+$/.test(line)).map((line) => line.trim().replace(/^\||\|$/g, ''))
      const cells = rows.map((row) => row.split('|').map((cell) => `<td>${inlineHtml(cell.trim())}</td>`))
      return `<table>${cells.map((row) => `<tr>${row.join('')}</tr>`).join('')}</table>`
    }
  }
}

/** Code first: what stands in it is neither bold nor a link. */
function inlineHtml(text: string): string {
  return text
    .split(/(`[^`\n]+`)/)
    .map((part, index) => (index % 2 === 1 ? `<code>${escapeText(part.slice(1, -1))}</code>` : wordsHtml(part)))
    .join('')
}

function wordsHtml(text: string): string {
  return escapeText(text)
    .replace(/\*\*([^*\n]+)\*\*/g, '<strong>$1</strong>')
    .replace(
      /\[([^[\]\n]{1,300})\]\((https?:\/\/[^\s()<>]{1,2000})\)/g,
      '<a href="$2" rel="nofollow noopener noreferrer">$1</a>',
    )
}
