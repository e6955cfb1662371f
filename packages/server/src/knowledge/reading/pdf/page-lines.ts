import type { Pdf } from './open-pdf.ts'

/**
 * A line as it stands on its page, in points. `first` and `last` are how high its first and its last character stand: where
 * a word is hyphenated, PDFium takes two lines for one.
 */
export type Line = {
  text: string
  page: number
  left: number
  right: number
  first: number
  last: number
  size: number
}

/** A bullet of the fonts that have nothing but symbols. */
const SYMBOL_BULLETS = new Set([0xf0b7, 0xf0a7, 0xf06c, 0xf06e, 0xf0d8, 0xf0fc])
/** PDFium's sign for a hyphen that only a line's end asked for. */
const SOFT_HYPHENS = new Set([0x02, 0xad, 0xfffe])
export const SOFT_HYPHEN = '\u00ad'

/** Left, top, right, bottom. */
type Box = [number, number, number, number]

/** The lines of a page, in the order in which the document has them. */
export function pageLines(pdf: Pdf, index: number): Line[] {
  const { pdfium, document } = pdf
  const page = pdfium.FPDF_LoadPage(document, index)
  if (!page) return []
  const text = pdfium.FPDFText_LoadPage(page)
  try {
    return text ? linesOf(pdf, text, index) : []
  } finally {
    if (text) pdfium.FPDFText_ClosePage(text)
    pdfium.FPDF_ClosePage(page)
  }
}

function linesOf(pdf: Pdf, text: number, page: number): Line[] {
  const lines: Line[] = []
  const count = pdf.pdfium.FPDFText_CountChars(text)
  const { wasmExports } = pdf.pdfium.pdfium
  let characters = ''
  /** Which of the page's characters are seen in this line. */
  let seen: number[] = []
  for (let index = 0; index <= count; index++) {
    const code = index < count ? wasmExports.FPDFText_GetUnicode(text, index) : 0x0a
    if (code !== 0x0a && code !== 0x0d) {
      characters += characterOf(code)
      if (code > 0x20) seen.push(index)
      continue
    }
    const line = seen.length > 0 ? placeLine(pdf, text, seen) : undefined
    if (line)
      lines.push({
        ...line,
        page,
        text: characters
          .replace(/\u00ad(?=\S)/g, '')
          .replace(/\s+/g, ' ')
          .trim(),
      })
    characters = ''
    seen = []
  }
  return lines
}

function characterOf(code: number): string {
  if (SOFT_HYPHENS.has(code)) return SOFT_HYPHEN
  if (SYMBOL_BULLETS.has(code)) return '•'
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

function placeLine(pdf: Pdf, text: number, seen: readonly number[]): Omit<Line, 'page' | 'text'> | undefined {
  const { pdfium } = pdf
  const boxOf = (index: number) =>
    pdf.readFloats((buffer) => pdfium.FPDFText_GetLooseCharBox(text, index, buffer)) as Box | undefined
  const [first, middle, last] = [seen[0]!, seen[seen.length >> 1]!, seen.at(-1)!]
  const [from, inside, to] = [boxOf(first), boxOf(middle), boxOf(last)]
  if (!from || !inside || !to) return undefined
  const heightOf = (index: number) =>
    pdf.readDouble((buffer) => pdfium.FPDFText_GetCharOrigin(text, index, buffer, buffer + 8))
  const [, top, , bottom] = inside
  // In half points: nobody sees less.
  const size = Math.round(Math.abs(top - bottom) * 2) / 2
  return { left: from[0], right: to[2], first: heightOf(first), last: heightOf(last), size }
}
