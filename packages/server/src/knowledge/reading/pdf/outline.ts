import type { Pdf } from './open-pdf.ts'

export type OutlineEntry = { title: string; page: number; level: number }

/** An outline may name itself as its own child. */
const MAX_ENTRIES = 2_000
const MAX_LEVEL = 6

/** A document's own table of contents, in its order; empty where it has none. */
export function outlineOf(pdf: Pdf): OutlineEntry[] {
  const { pdfium, document } = pdf
  const entries: OutlineEntry[] = []
  const walk = (parent: number, level: number) => {
    let bookmark = pdfium.FPDFBookmark_GetFirstChild(document, parent)
    for (
      ;
      bookmark && entries.length < MAX_ENTRIES;
      bookmark = pdfium.FPDFBookmark_GetNextSibling(document, bookmark)
    ) {
      const destination = pdfium.FPDFBookmark_GetDest(document, bookmark)
      const page = destination ? pdfium.FPDFDest_GetDestPageIndex(document, destination) : -1
      const own = bookmark
      const title = pdf.readText((buffer, size) => pdfium.FPDFBookmark_GetTitle(own, buffer, size))
      entries.push({ title, page, level })
      if (level < MAX_LEVEL) walk(bookmark, level + 1)
    }
  }
  walk(0, 1)
  return entries
}
