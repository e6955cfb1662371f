import { cleanText } from '../clean-text.ts'
import { type DocumentText, MAX_TEXT_CHARACTERS, Refused, tooLong } from '../document-limits.ts'
import { asTitle, firstHeading } from '../read-markdown.ts'
import { composeText } from './compose-text.ts'
import { findHeadings } from './find-headings.ts'
import { openPdf, type Pdf } from './open-pdf.ts'
import { outlineOf } from './outline.ts'
import { type Line, pageLines } from './page-lines.ts'
import { withoutRunningLines } from './running-lines.ts'

/** Headers and footers go before the text is counted in earnest. */
const ROOM_FOR_EDGES = 1.5
/** What programs write there when nobody gave a title. */
const NO_TITLE =
  /^(?:untitled|无标题|document\d*|microsoft (?:word|powerpoint|excel)\b.*|.*\.(?:docx?|pptx?|xlsx?|pdf|indd|tex|wps))$/i

/** Paragraphs with Markdown headings, in the order in which the document has its text. */
export async function readPdf(bytes: Uint8Array): Promise<DocumentText> {
  const pdf = await openPdf(bytes)
  const pages = withoutRunningLines(linesOf(pdf))
  const lines = pages.flat()
  if (lines.length === 0)
    throw new Refused('invalid_payload', 'has no text, only pictures of it perhaps. Recognise its text first (OCR).')
  const { text, pages: starts } = composeText(pages, findHeadings(lines, outlineOf(pdf)))
  const named = asTitle(
    pdf.readText((buffer, size) => pdf.pdfium.FPDF_GetMetaText(pdf.document, 'Title', buffer, size)),
  )
  return { title: named && !NO_TITLE.test(named) ? named : firstHeading(text), text, pages: starts }
}

function linesOf(pdf: Pdf): Line[][] {
  const pages: Line[][] = []
  let characters = 0
  for (let index = 0; index < pdf.pageCount; index++) {
    // Cleaned line by line: what is cut out later would move the pages' beginnings.
    const lines = pageLines(pdf, index).map((line) => ({ ...line, text: cleanText(line.text) }))
    pages.push(lines)
    characters += lines.reduce((sum, { text }) => sum + text.length, 0)
    if (characters > MAX_TEXT_CHARACTERS * ROOM_FOR_EDGES) throw tooLong()
  }
  return pages
}
