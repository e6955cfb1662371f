/** Of Markdown, what must be kept to be read: code is code, and lines are lines. Everything else stands there as it was written. */
export function textToHtml(text: string): string {
  const parts: string[] = []
  let rest: string[] = []
  let fence: string | undefined
  const flush = () => {
    const joined = rest.join('\n')
    if (fence !== undefined) parts.push(`<pre><code>${escapeText(joined)}</code></pre>`)
    else if (joined.trim() !== '') parts.push(`<p>${inlineHtml(joined.trim())}</p>`)
    rest = []
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
    else rest.push(line)
  }
  flush()
  return parts.join('')
}

function inlineHtml(text: string): string {
  return escapeText(text).replace(/`([^`\n]+)`/g, '<code>$1</code>')
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
