import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/** What we use of PDFium's public functions. Pointers and handles are numbers, 0 is none; its own documentation has the rest. */
export type Pdfium = {
  PDFiumExt_Init(): void
  FPDF_LoadMemDocument(bytes: number, size: number, password: string): number
  FPDF_GetLastError(): number
  FPDF_GetPageCount(document: number): number
  FPDF_GetMetaText(document: number, tag: string, buffer: number, size: number): number
  FPDF_LoadPage(document: number, index: number): number
  FPDF_ClosePage(page: number): void
  FPDFText_LoadPage(page: number): number
  FPDFText_ClosePage(text: number): void
  FPDFText_CountChars(text: number): number
  FPDFText_GetLooseCharBox(text: number, index: number, box: number): boolean
  FPDFText_GetCharOrigin(text: number, index: number, x: number, y: number): boolean
  FPDFBookmark_GetFirstChild(document: number, bookmark: number): number
  FPDFBookmark_GetNextSibling(document: number, bookmark: number): number
  FPDFBookmark_GetTitle(bookmark: number, buffer: number, size: number): number
  FPDFBookmark_GetDest(document: number, bookmark: number): number
  FPDFDest_GetDestPageIndex(document: number, destination: number): number
  pdfium: {
    wasmExports: {
      malloc(size: number): number
      memory: { buffer: ArrayBuffer }
      /** Asked for every character: directly, because the wrapper takes longer than the function. */
      FPDFText_GetUnicode(text: number, index: number): number
    }
  }
}

let wasm: Promise<Uint8Array> | undefined

/** A PDFium with a memory of its own: what one document did to it ends with that document. */
export async function newPdfium(): Promise<Pdfium> {
  wasm ??= readFile(createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm'))
  const { init } = await import('@embedpdf/pdfium')
  const pdfium = (await init({ wasmBinary: await wasm })) as unknown as Pdfium
  pdfium.PDFiumExt_Init()
  return pdfium
}
