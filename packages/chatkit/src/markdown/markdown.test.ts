import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { anyMarkdown, mixedAnswer } from '../../test/markdown-samples.ts'
import { hostileMarkdown } from '../../test/hostile-markdown.ts'
import { Markdown } from './markdown.tsx'
import { defaultMarkdownOptions, MarkdownOptionsProvider } from './markdown-options.ts'

const options = { ...defaultMarkdownOptions, showDestinations: false }
const html = (text: string, streaming = false) => {
  const markdown = createElement(Markdown, { text, streaming })
  const page = renderToStaticMarkup(createElement(MarkdownOptionsProvider, { value: options }, markdown))
  return page.replace(/^<div class="ck-md">(?:<div class="ck-group">)?/, '').replace(/(?:<\/div>)?<\/div>$/, '')
}
const visible = (text: string, streaming = true) =>
  html(text, streaming)
    .replace(/<div class="ck-code-head">.*?<\/div>/g, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')

describe('[K16.1] dialect', () => {
  test.each([
    ['**注意：**正文', '<p><strong>注意：</strong>正文</p>'],
    ['**复现：**10 轮', '<p><strong>复现：</strong>10 轮</p>'],
    ['含**「重点」**内容', '<p>含<strong>「重点」</strong>内容</p>'],
    ['~~删除。~~这句', '<p><del>删除。</del>这句</p>'],
    ['他说**“好”**了', '<p>他说<strong>“好”</strong>了</p>'],
    ['第**(1)**条', '<p>第<strong>(1)</strong>条</p>'],
  ])('[K16.1] emphasis next to CJK punctuation works: %s', (text, expected) => expect(html(text)).toBe(expected))

  test('[K16.1] an autolink ends at CJK punctuation', () => {
    expect(html('见https://example.org/a。后面')).toContain('href="https://example.org/a" target="_blank"')
    expect(html('见 https://example.org/a，后面')).toContain('>https://example.org/a</a>，后面')
  })

  test.each([
    ['soft breaks are line breaks', 'a\nb', '<p>a<br/>b</p>'],
    ['a task list', '- [x] done\n- [ ] open', 'aria-label="Done"'],
    ['a footnote', 'a[^1]\n\n[^1]: note', '<sup>1</sup>'],
    ['inline math', 'a $x^2$ b', '<code class="ck-math-source">x^2</code>'],
    ['display math', '$$\nx\n$$', 'ck-math-display'],
    ['math in brackets', '\\(a\\) and \\[b\\]', 'ck-math-display'],
    ['a lone dollar before a digit is currency', 'from $5 to $6', '<p>from $5 to $6</p>'],
    ['raw HTML is text', '<b>x</b> <div>', '<p>&lt;b&gt;x&lt;/b&gt; &lt;div&gt;</p>'],
    ['the harmless tags work', 'H<sub>2</sub>O<br>x', '<p>H<sub>2</sub>O<br/>x</p>'],
    [
      'details with Markdown inside',
      '<details><summary>S</summary>\n\n**b**\n\n</details>',
      '<details><summary>S</summary><p><strong>b</strong></p></details>',
    ],
    ['attributes never come along', '<mark onclick="x()" style="color:red">m</mark>', '<p><mark>m</mark></p>'],
    ['character references', 'a &amp; b &#169; &lt;b&gt;', '<p>a &amp; b © &lt;b&gt;</p>'],
    ['a list keeps its start', '3. c\n4. d', '<ol start="3"><li>c</li><li>d</li></ol>'],
    ['nested lists', '- a\n  - b\n- c', '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>'],
    ['table alignment', '|a|b|\n|:-:|--:|\n|1|2|', '<td class="ck-align-right">2</td>'],
    ['a table below a paragraph', 'text\n| a |\n|---|\n| 1 |', '<p>text</p>'],
    ['setext headings', 'T\n===', '<h3 class="ck-h1">T</h3>'],
  ])('[K16.1] %s', (_, text, expected) => expect(html(text)).toContain(expected))
})

describe('[K16.2] incomplete text', () => {
  test.each([
    ['**bo', '<p><strong>bo</strong></p>'],
    ['a *i', '<p>a <em>i</em></p>'],
    ['a `co', '<p>a <code>co</code></p>'],
    ['[label](https://exa', '<p>label</p>'],
    ['![alt](https://exa', '<p>alt</p>'],
    ['text\n-', '<p>text</p>'],
    ['text\n==', '<p>text</p>'],
    ['| a | b |\n|--', '<p>| a | b |</p>'],
    ['- [', ''],
    ['12', ''],
  ])('[K16.2] half-written %j shows what it will be', (text, expected) => expect(html(text, true)).toBe(expected))

  test('[K16.2] an open fence is code, and its closing marks are never seen as code', () => {
    expect(visible('```py\nx = 1\n``')).toBe('x = 1')
    expect(html('```py\nx = 1', true)).toContain('ck-code-body')
    expect(html('```p', true)).not.toContain('>p<')
  })

  test('[K16.2] no prefix of a well-formed answer shows its marks', () => {
    for (const block of mixedAnswer(1150).split('\n\n'))
      for (let end = 1; end <= block.length; end++) {
        const shown = visible(block.slice(0, end)).replace('# one reading, in metres', '')
        expect(/\*|`|\]\(|~~|^#/m.exec(shown)?.[0], JSON.stringify(block.slice(0, end))).toBeUndefined()
      }
  })

  test('[K16.2] nothing that streams makes rendering throw', () => {
    fc.assert(
      fc.property(anyMarkdown, (text) => {
        html(text, true)
      }),
      { numRuns: 500 },
    )
  })
})

describe('[K16.4] safety', () => {
  test.each(hostileMarkdown)('[K16.4] %s cannot run, load or style anything', (text) => {
    for (const streaming of [true, false]) {
      const page = html(text, streaming)
      expect(page).not.toMatch(
        /<(?:script|iframe|style|object|embed|form|meta|base|link|svg|img|input|video|audio|math)\b/i,
      )
      expect(page).not.toMatch(/<[^>]*\son\w+\s*=/i)
      expect(page).not.toMatch(
        /<[^>]*\s(?:href|src|action|formaction|style|srcdoc)\s*=\s*"(?!https?:|mailto:|tel:|#|\/|[\w.?-]*[/?#"]|\w+")/i,
      )
    }
  })

  test('[K16.4] links open in a new tab without a referrer, and say where they lead', () => {
    const page = renderToStaticMarkup(createElement(Markdown, { text: '[docs](https://example.org/x)' }))
    expect(page).toContain('target="_blank" rel="noopener noreferrer"')
    expect(page).toContain('<span class="ck-link-host"> example.org</span>')
  })

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java&#10;script:x',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc',
    'blob:x',
  ])('[K16.4] a link to %s is text', (href) => expect(html(`[a](${href})`)).not.toContain('<a'))

  test.each(['https://a.b', 'http://a.b', 'mailto:a@b.c', 'tel:+1', '/relative', 'docs/x'])(
    '[K16.4] a link to %s is a link',
    (href) => expect(html(`[a](${href})`)).toContain('<a'),
  )

  test('[K16.4] an image of a foreign host is an address and a button, an allowed one and data: are images', () => {
    expect(html('![alt](https://evil.example/x.png)')).not.toContain('<img')
    expect(html('![alt](https://evil.example/x.png)')).toContain('Load image')
    expect(html('![alt](data:image/png;base64,AAAA)')).toContain('<img')
    expect(html('![alt](data:image/svg+xml;base64,AAAA)')).not.toContain('<img')
    const value = { ...options, imageHosts: ['cdn.example'] }
    const allowed = createElement(Markdown, { text: '![alt](https://cdn.example/x.png)' })
    expect(renderToStaticMarkup(createElement(MarkdownOptionsProvider, { value }, allowed))).toContain('<img')
  })
})
