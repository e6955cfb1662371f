import { Marked, type Tokens } from 'marked'
import { escapeText } from '../../http/escape-text.ts'

export type Heading = { id: string; html: string }
export type Written = { html: string; title: string; headings: Heading[] }

/** A page of the guide as HTML; `home` is where its language begins. What stands in it as HTML is shown as text. */
export function markdownHtml(markdown: string, home: string): Written {
  const headings: Heading[] = []
  let title = ''
  const marked = new Marked({ gfm: true, async: false })
  marked.use({
    renderer: {
      heading({ depth, tokens, text }) {
        const html = this.parser.parseInline(tokens)
        if (depth === 1) title = text
        if (depth !== 2) return `<h${depth}>${html}</h${depth}>`
        const id = idOf(text)
        headings.push({ id, html })
        return `<h2 id="${id}">${html}</h2>`
      },
      link({ href, tokens }) {
        return `<a href="${escapeText(addressOf(href, home))}">${this.parser.parseInline(tokens)}</a>`
      },
      code: ({ text, lang = '' }) => codeHtml(text, lang),
      table(token: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], tag: 'th' | 'td') =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('')
        return `<div class="wide" tabindex="0" role="group" aria-label="${escapeText(token.header.map(({ text }) => text).join(', '))}"><table><thead><tr>${cells(token.header, 'th')}</tr></thead><tbody>${rows}</tbody></table></div>`
      },
      html: ({ text }) => escapeText(text),
    },
  })
  const html = marked.parse(markdown, { async: false })
  return { html, title, headings }
}

/** Files link to files, pages to pages: `concepts.md#runs` is `concepts#runs`, and the first page is the folder itself. */
function addressOf(href: string, home: string): string {
  return href.replace(/^quick-start\.md/, home).replace(/^([\w-]+)\.md/, `${home}$1`)
}

/** `sh code/first.sh`: what it is, and which file it comes from. */
function codeHtml(text: string, info: string): string {
  const [, path] = info.split(' ')
  const name = path?.split('/').at(-1)
  const caption = name ? `<figcaption>${escapeText(name)}</figcaption>` : ''
  return `<figure>${caption}<pre tabindex="0"${name ? ` aria-label="${escapeText(name)}"` : ''}><code>${escapeText(text)}</code></pre></figure>`
}

function idOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}
