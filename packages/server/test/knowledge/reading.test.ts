import { afterAll, describe, expect, test } from 'vitest'
import { cutIntoPassages } from '../../src/knowledge/reading/cut-into-passages.ts'
import type { DocumentKind } from '../../src/knowledge/reading/document-kind.ts'
import { DocumentReader } from '../../src/knowledge/reading/document-reader.ts'
import { column, textPdf, utf16 } from './pdf-file.ts'

const reader = new DocumentReader()
afterAll(() => reader[Symbol.asyncDispose]())

const { signal } = new AbortController()
const read = (kind: DocumentKind, bytes: Uint8Array | string) =>
  reader.read({ name: `a file of ${kind}`, kind, bytes: Buffer.from(bytes) }, signal)

describe('Markdown', () => {
  test('front matter gives the title, and is no part of the text', async () => {
    const found = await read(
      'markdown',
      '---\r\ntitle: "Refunds:  how"\r\ntags: [a]\r\n---\r\n# Paying back\r\n\r\nA week.\r\n',
    )
    expect(found).toEqual({ title: 'Refunds: how', text: '# Paying back\n\nA week.' })
  })

  test.each([
    ['front matter without a title', '---\ntags: [a]\n---\n# Paying back', 'Paying back'],
    ['no heading of the first level', '---\ntags: [a]\n---\n## Paying back', null],
  ])('%s', async (_what, markdown, title) => {
    expect(await read('markdown', markdown)).toMatchObject({ title, text: expect.stringMatching(/^##? Paying back$/) })
  })

  test.each([
    ['no front matter, but two rules', '---\nA week.\n---\n# Later'],
    ['front matter that never ends', '---\ntitle: a\n\nA week.'],
    ['front matter with aliases', '---\na: &a [x]\ntitle: *a\n---\nA week.'],
  ])('%s is text', async (_what, markdown) => {
    expect(await read('markdown', markdown)).toMatchObject({ text: markdown })
  })

  test('a picture that is written into it is no text', async () => {
    const picture = `![Port](data:image/png;base64,${'iVBORw0KGgo'.repeat(10_000)}) A week.`
    expect(await read('markdown', picture)).toEqual({ title: null, text: '![Port](data:) A week.' })
  })
})

describe('character sets', () => {
  const text = '退款需要七天，请耐心等待。'
  const gb18030 = Buffer.from('cdcbbfeed0e8d2aac6dfcceca3acc7ebc4cdd0c4b5c8b4fda1a3', 'hex')
  test.each<[string, DocumentKind, Buffer]>([
    ['UTF-8', 'text', Buffer.from(text)],
    ['UTF-8 with a mark', 'text', Buffer.from(`\ufeff${text}`)],
    ['UTF-16LE with a mark', 'markdown', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16BE with a mark', 'text', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['GB18030', 'text', gb18030],
    ['GB18030 that the page names', 'html', Buffer.concat([Buffer.from('<meta charset="gb2312"><p>'), gb18030])],
    ['GB18030 that the page does not name', 'html', Buffer.concat([Buffer.from('<p>'), gb18030])],
  ])('%s is read', async (_what, kind, bytes) => {
    expect(await read(kind, bytes)).toMatchObject({ text })
  })

  test('a text about a character set is not in it', async () => {
    const about = '<meta charset="gb2312"> 是旧网页的写法'
    expect(await read('markdown', about)).toMatchObject({ text: about })
  })
})

test('a page becomes its title and its text', async () => {
  const html =
    '<!doctype html><title>退款 &amp; more</title><nav>Home</nav><h1>Refunds</h1><p>A <b>week</b>.\u0001</p>' +
    '<table><tr><th>By</th><th>Days</th></tr><tr><td>card</td><td>1</td></tr></table><script>x</script>'
  expect(await read('html', html)).toEqual({
    title: '退款 & more',
    text: '# Refunds\n\nA **week**.\n\n| By | Days |\n| --- | --- |\n| card | 1 |',
  })
})

describe('PDF', () => {
  test.each([
    ['GBK-EUC-H', 'd6d0cec4b2e2cad4', '中文测试'],
    ['UniGB-UCS2-H', utf16('中文测试'), '中文测试'],
    ['UniGB-UTF16-H', utf16('中文测试'), '中文测试'],
    ['Identity-H', '0fbe0e1a0a4b', '畜糖陇'],
  ])('[S15.4] Chinese of a font with %s comes out as text', async (encoding, hex, text) => {
    expect(await read('pdf', textPdf([[{ y: 700, hex }]], { encoding }))).toEqual({ title: null, text, pages: [0] })
  })

  const LONG = [
    '退款一般需要七到十个工作日才能到达您的账户',
    '节假日期间可能会更久一些所以请您提前做好安排',
    '如果超过半个月还没有收到就请联系我们的客服',
  ]
  const body = (from: number) => column([...LONG, '请您耐心等待。'], { from })

  test('lines become paragraphs, large letters headings, and pages are known', async () => {
    const first = [
      ...column(['退款说明'], { size: 24 }),
      ...column(['多久能到'], { size: 16, from: 700 }),
      ...body(660),
    ]
    const found = await read(
      'pdf',
      textPdf([first, [...body(760), ...column(['Go to the counter.'], { from: 600 })], []]),
    )
    const paragraph = `${LONG.join('')}请您耐心等待。`
    expect(found.text).toBe(`# 退款说明\n\n## 多久能到\n\n${paragraph}\n\n${paragraph}\n\nGo to the counter.`)
    expect(found.title).toBe('退款说明')
    expect(found.pages?.map((start) => found.text.slice(start, start + 4))).toEqual(['# 退款', '退款一般', ''])
    expect(cutIntoPassages(found.text)[0]?.headings).toEqual(['退款说明', '多久能到'])
  })

  test('a sentence goes on over the end of a page, and what stands on every page is left out', async () => {
    const header = [...column(['某某公司手册'], { from: 820 })]
    const footer = (page: number) => column([`第 ${page} 页`], { from: 30 })
    const texts = ['甲', '乙', '丙'].map((mark) => LONG.map((line) => mark + line))
    const pages = texts.map((lines, index) => [...header, ...column(lines), ...footer(index + 1)])
    expect(await read('pdf', textPdf(pages))).toMatchObject({ text: texts.flat().join('') })
  })

  test('English words get their spaces, and lose the hyphens of line ends', async () => {
    const lines = ['Refunds are paid within seven work-', 'ing days after the goods have come', 'back to us.']
    expect(await read('pdf', textPdf([column(lines)]))).toMatchObject({
      text: 'Refunds are paid within seven working days after the goods have come back to us.',
    })
  })

  test('its own outline says what is a heading', async () => {
    const entry = (title: string, rest: string) => `<</Title<feff${utf16(title)}>/Parent NEXT/Dest[6 0 R/Fit]${rest}>>`
    const file = textPdf([[...column(['总则']), ...body(700), ...column(['细则'], { from: 600 }), ...body(560)]], {
      catalog: '/Outlines NEXT',
      more: (next) => [
        `<</Type/Outlines/First ${next + 1} 0 R/Last ${next + 1} 0 R/Count 1>>`,
        entry('总 则', `/First ${next + 2} 0 R/Last ${next + 2} 0 R/Count 1`).replace('NEXT', `${next} 0 R`),
        // Its own next one: an outline without an end.
        entry('细则', `/Next ${next + 2} 0 R`).replace('NEXT', `${next + 1} 0 R`),
      ],
    })
    const { text } = await read('pdf', file)
    expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual(['# 总则', '## 细则'])
  })

  test('its title counts, unless a program made it up', async () => {
    const titled = (title: string) =>
      textPdf([column(['正文'])], {
        more: () => [`<</Title<feff${utf16(title)}>>>`],
        trailer: '/Info 8 0 R',
      })
    expect(await read('pdf', titled('员工手册'))).toMatchObject({ title: '员工手册' })
    expect(await read('pdf', titled('Microsoft Word - 手册.doc'))).toMatchObject({ title: null })
  })
})
