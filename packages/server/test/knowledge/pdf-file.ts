/** A line of text on a page: where, how large, and the codes of its characters in hexadecimal. */
export type PdfLine = { x?: number; y: number; size?: number; hex: string }

/** An object's text, or its bytes. */
export type PdfObject = string | Buffer

/** A PDF of these objects, numbered from 1; the first is its root. */
export function pdfFile(objects: readonly PdfObject[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const offsets: number[] = []
  let at = parts[0]!.length
  const add = (part: Buffer) => {
    parts.push(part)
    at += part.length
  }
  for (const [index, object] of objects.entries()) {
    offsets.push(at)
    add(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]))
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  add(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${at}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

export function stream(data: string | Buffer, entries = ''): Buffer {
  const bytes = Buffer.from(data)
  return Buffer.concat([
    Buffer.from(`<</Length ${bytes.length}${entries}>>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ])
}

const FIRST_PAGE = 6

/** Pages of lines in a font that the file does not have, as Chinese files often do. `more`: objects from number `next` on. */
export function textPdf(
  pages: readonly (readonly PdfLine[])[],
  options: { encoding?: string; catalog?: string; more?: (next: number) => PdfObject[]; trailer?: string } = {},
): Buffer {
  const { encoding = 'UniGB-UTF16-H', catalog = '', more = () => [], trailer } = options
  const pageNumber = (index: number) => FIRST_PAGE + 2 * index
  const next = pageNumber(pages.length)
  return pdfFile(
    [
      `<</Type/Catalog/Pages 2 0 R${catalog.replaceAll('NEXT', `${next} 0 R`)}>>`,
      `<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, index) => `${pageNumber(index)} 0 R`).join(' ')}]>>`,
      `<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/${encoding}/DescendantFonts[4 0 R]>>`,
      '<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/DW 1000/FontDescriptor 5 0 R' +
        '/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 4>>>>',
      '<</Type/FontDescriptor/FontName/STSong-Light/Flags 6/FontBBox[-25 -254 1000 880]/ItalicAngle 0/Ascent 880' +
        '/Descent -120/CapHeight 880/StemV 93>>',
      ...pages.flatMap((lines, index) => [
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>/Contents ${pageNumber(index) + 1} 0 R>>`,
        stream(lines.map(({ x = 72, y, size = 12, hex }) => `BT /F ${size} Tf ${x} ${y} Td <${hex}> Tj ET`).join('\n')),
      ]),
      ...more(next),
    ],
    trailer,
  )
}

/** Codes of the Unicode encodings. */
export function utf16(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().toString('hex')
}

/** Lines one below the other, from the top of a page on. */
export function column(texts: readonly string[], { size = 12, from = 760 } = {}): PdfLine[] {
  return texts.map((text, index) => ({ y: from - index * size * 1.5, size, hex: utf16(text) }))
}
