import { describe, expect, test } from 'vitest'
import { htmlToMarkdown, loadWasm } from './html-to-markdown.ts'

const URL_OF_PAGE = new URL('https://example.org/dir/page.html')
const HTML = `<!doctype html><html><head><title>Tides &amp;
  moons</title><style>p{}</style><script>alert(1)</script></head>
<body><nav><a href="/">Home</a></nav><p>Before</p><form id="aspnetForm"><h1>High water</h1>
<p>At <b>six</b>, see <a href="table.html">the table</a> and <a href="/all">all</a>.</p>
<table><tr><th>Port</th><th>Time</th></tr><tr><td>Kiel</td><td>06:00</td></tr></table>
<pre><code>let a = 1</code></pre><svg><title>icon</title></svg></form><footer>Imprint</footer></body></html>`
const MARKDOWN = `Before

# High water

At **six**, see [the table](https://example.org/dir/table.html) and [all](https://example.org/all).

| Port | Time |
| --- | --- |
| Kiel | 06:00 |

\`\`\`
let a = 1
\`\`\``

describe.each([
  ['native', undefined],
  ['WebAssembly', loadWasm],
])('%s', (_name, load) => {
  test('a page becomes its title and its text, without what stands around it', async () => {
    expect(await htmlToMarkdown(HTML, URL_OF_PAGE, load)).toEqual({ title: 'Tides & moons', markdown: MARKDOWN })
  })

  test.each(['', '<', '<p', '</p></div>', '<title>', 'plain'])('the broken page %j does no harm', async (html) => {
    const { markdown } = await htmlToMarkdown(html, URL_OF_PAGE, load)
    expect(markdown.length).toBeLessThanOrEqual(html.length)
  })

  test('a page nested a hundred thousand deep does no harm', async () => {
    const html = '<div>'.repeat(100_000) + 'deep'
    expect(await htmlToMarkdown(html, URL_OF_PAGE, load)).toMatchObject({ title: '' })
  })
})
