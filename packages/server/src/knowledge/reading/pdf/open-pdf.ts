import { MAX_PAGES, Refused } from '../document-limits.ts'
import { newPdfium, type Pdfium } from './pdfium.ts'

const PASSWORD_ERRORS = [4, 5]
/** A bookmark's title, or the document's. */
const MAX_TITLE_BYTES = 1_024

/** An open document. It is never closed: its memory goes with its PDFium. */
export class Pdf {
  readonly pdfium: Pdfium
  readonly document: number
  readonly pageCount: number
  readonly #scratch: number

  constructor(pdfium: Pdfium, document: number) {
    this.pdfium = pdfium
    this.document = document
    this.pageCount = pdfium.FPDF_GetPageCount(document)
    this.#scratch = pdfium.pdfium.wasmExports.malloc(MAX_TITLE_BYTES)
  }

  /** What `fill` writes: UTF-16 with a zero at its end, of the length it returns. */
  readText(fill: (buffer: number, size: number) => number): string {
    const length = fill(this.#scratch, MAX_TITLE_BYTES)
    if (length < 2 || length > MAX_TITLE_BYTES) return ''
    const bytes = new Uint8Array(this.pdfium.pdfium.wasmExports.memory.buffer, this.#scratch, length - 2)
    return new TextDecoder('utf-16le').decode(bytes)
  }

  /** The four numbers that `fill` writes; nothing where it fails. */
  readFloats(fill: (buffer: number) => boolean): number[] | undefined {
    if (!fill(this.#scratch)) return undefined
    return [...new Float32Array(this.pdfium.pdfium.wasmExports.memory.buffer, this.#scratch, 4)]
  }

  /** The second of the two numbers that `fill` writes: a place's height. */
  readDouble(fill: (buffer: number) => boolean): number {
    if (!fill(this.#scratch)) return 0
    return new Float64Array(this.pdfium.pdfium.wasmExports.memory.buffer, this.#scratch, 2)[1]!
  }
}

export async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  const pdfium = await newPdfium()
  const place = pdfium.pdfium.wasmExports.malloc(bytes.length)
  new Uint8Array(pdfium.pdfium.wasmExports.memory.buffer).set(bytes, place)
  const document = pdfium.FPDF_LoadMemDocument(place, bytes.length, '')
  if (!document) throw cannotOpen(pdfium.FPDF_GetLastError())
  const pdf = new Pdf(pdfium, document)
  if (pdf.pageCount > MAX_PAGES)
    throw new Refused('payload_too_large', `has more than ${MAX_PAGES} pages. Split it into several files.`)
  return pdf
}

function cannotOpen(code: number): Refused {
  if (PASSWORD_ERRORS.includes(code))
    return new Refused('invalid_payload', 'is encrypted. Save it without a password first.')
  return new Refused('invalid_payload', 'is no PDF document, or a damaged one.')
}
