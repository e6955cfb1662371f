import { constants, deflateRawSync } from 'node:zlib'
import type { DocumentKind } from '../../src/knowledge/reading/document-kind.ts'
import { column, pdfFile, type PdfObject, stream, textPdf } from './pdf-file.ts'

export type HostileFile = { what: string; kind: DocumentKind; bytes: Uint8Array; refused?: RegExp }

const CATALOG = '<</Type/Catalog/Pages 2 0 R>>'
const FONT = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'
const page = (contents: number, resources = '/Font<</F 4 0 R>>') =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<${resources}>>/Contents ${contents} 0 R>>`
const ONE_PAGE = '<</Type/Pages/Kids[3 0 R]/Count 1>>'

/** Each is refused, or read; none takes more than its limits. */
export function hostileFiles(): HostileFile[] {
  const good = textPdf([column(['A line of text.'])])
  return [
    {
      what: 'a PDF whose page tree is its own child',
      kind: 'pdf',
      bytes: pdfFile([CATALOG, '<</Type/Pages/Kids[2 0 R 2 0 R]/Count 9>>']),
      refused: /has no text/,
    },
    {
      what: 'a PDF with a billion pages, as it says',
      kind: 'pdf',
      bytes: pdfFile([CATALOG, '<</Type/Pages/Kids[]/Count 1000000000>>']),
      refused: /has no text/,
    },
    { what: 'a PDF whose objects are in a stream inside itself', kind: 'pdf', bytes: objectLoop() },
    { what: 'a PDF whose tables name each other', kind: 'pdf', bytes: tableLoop() },
    { what: 'a PDF whose contents unpack without end', kind: 'pdf', bytes: flateBomb(), refused: /takes more than/ },
    {
      what: 'a PDF that draws itself ten to the twelfth times',
      kind: 'pdf',
      bytes: formBomb(),
      refused: /takes more than/,
    },
    {
      what: 'a PDF that was cut off',
      kind: 'pdf',
      bytes: good.subarray(0, good.length / 2),
      refused: /no PDF document/,
    },
    { what: 'a PDF with a password', kind: 'pdf', bytes: encrypted(), refused: /is encrypted/ },
    { what: 'a PDF without text', kind: 'pdf', bytes: textPdf([[]]), refused: /has no text/ },
    { what: 'no PDF', kind: 'pdf', bytes: Buffer.from('hello'), refused: /no PDF document/ },
    {
      what: 'a page nested a hundred thousand deep',
      kind: 'html',
      bytes: Buffer.from('<div>'.repeat(100_000) + 'deep'),
    },
    { what: 'a page of lists in lists', kind: 'html', bytes: Buffer.from('<ul><li>'.repeat(50_000)) },
    { what: 'a page of tables in tables', kind: 'html', bytes: Buffer.from('<table><tr><td>'.repeat(50_000) + 'deep') },
    { what: 'a page of quotes in quotes', kind: 'html', bytes: Buffer.from('<blockquote>'.repeat(50_000) + 'deep') },
    { what: 'a page of nothing but tags that never end', kind: 'html', bytes: Buffer.from('<a '.repeat(1_000_000)) },
    { what: 'a picture called Markdown', kind: 'markdown', bytes: noise(100_000), refused: /is not text/ },
    { what: 'a text with a zero in it', kind: 'text', bytes: Buffer.from('A week.\0'), refused: /is not text/ },
    { what: 'a page with a zero in it', kind: 'html', bytes: Buffer.from('<p>A week.\0'), refused: /is not text/ },
    { what: 'a PDF called text', kind: 'text', bytes: good, refused: /is a PDF document/ },
    { what: 'no bytes at all', kind: 'markdown', bytes: Buffer.alloc(0), refused: /has no text/ },
    {
      what: 'YAML of ten thousand brackets',
      kind: 'markdown',
      bytes: Buffer.from(`---\na: ${'['.repeat(10_000)}\n---\nA week.`),
    },
  ]
}

function objectLoop(): Buffer {
  const inside = stream('1 0 3 20 <</Type/Catalog>>', '/Type/ObjStm/N 2/First 8/Extends 2 0 R')
  const entries = Buffer.from([1, 0, 9, 0, 2, 0, 2, 0, 2, 0, 2, 1])
  const table = stream(entries, '/Type/XRef/W[1 2 1]/Size 3/Root 1 0 R')
  const head = Buffer.from('%PDF-1.7\n2 0 obj\n')
  const at = head.length + inside.length + 8
  return Buffer.concat([
    head,
    inside,
    Buffer.from('\nendobj\n5 0 obj\n'),
    table,
    Buffer.from(`\nendobj\nstartxref\n${at}\n%%EOF\n`),
  ])
}

function tableLoop(): Buffer {
  const start = 'trailer\n<</Size 2/Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF\n'
  return Buffer.from(`%PDF-1.7\nxref\n0 1\n0000000000 65535 f \n${start}`)
}

/** Two gigabytes of spaces in two megabytes: one piece that stands for itself, many times. */
function flateBomb(): Buffer {
  const piece = deflateRawSync(Buffer.alloc(32 * 1024 * 1024, ' '), { finishFlush: constants.Z_FULL_FLUSH })
  const packed = Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: 64 }, () => piece)])
  return pdfFile([CATALOG, ONE_PAGE, page(5), FONT, stream(packed, '/Filter/FlateDecode')])
}

/** Forms of ten forms each, twelve deep; the last has a line of text. */
export function formBomb(): Buffer {
  const depth = 12
  const form = (index: number): PdfObject =>
    index === depth
      ? stream(
          'BT /F 12 Tf 72 700 Td (again) Tj ET',
          '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F 4 0 R>>>>',
        )
      : stream(
          '/X Do '.repeat(10),
          `/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</XObject<</X ${index + 7} 0 R>>>>`,
        )
  const forms = Array.from({ length: depth + 1 }, (_, index) => form(index))
  return pdfFile([CATALOG, ONE_PAGE, page(5, '/XObject<</X 6 0 R>>'), FONT, stream('/X Do '), ...forms])
}

function encrypted(): Buffer {
  const key = 'ab'.repeat(32)
  const rules = `<</Filter/Standard/V 1/R 2/O<${key}>/U<${key}>/P -44>>`
  return textPdf([column(['A secret.'])], { trailer: `/Encrypt ${rules}/ID[<00><00>]` })
}

/** The same bytes every time, without a zero. */
function noise(length: number): Buffer {
  let state = 1
  return Buffer.from(Array.from({ length }, () => ((state = (state * 48_271) % 0x7fffffff) % 255) + 1))
}
