import { decodePlainText, decodeText } from '../../tools/web/decode-text.ts'
import { htmlToMarkdown } from '../../tools/web/html-to-markdown.ts'
import { cleanText, refuseBinary } from './clean-text.ts'
import {
  type DocumentJob,
  type DocumentText,
  MAX_TEXT_CHARACTERS,
  type Refusal,
  Refused,
  tooLong,
} from './document-limits.ts'
import { readPdf } from './pdf/read-pdf.ts'
import { asTitle, firstHeading, readMarkdown } from './read-markdown.ts'

/** Runs in a process with limits: what a file makes its parser do is up to whoever wrote the file. */
export async function readDocument({ kind, bytes }: DocumentJob): Promise<DocumentText | Refusal> {
  try {
    const document = await READERS[kind](bytes)
    if (document.text.length > MAX_TEXT_CHARACTERS) throw tooLong()
    if (document.text.trim() === '') throw new Refused('invalid_payload', 'has no text.')
    return document
  } catch (error) {
    if (error instanceof Refused) return error.refusal
    throw error
  }
}

const READERS: Record<DocumentJob['kind'], (bytes: Uint8Array) => Promise<DocumentText>> = {
  markdown: (bytes) => readMarkdown(plainText(bytes)),
  async text(bytes) {
    const text = plainText(bytes).trim()
    return { title: firstHeading(text), text }
  },
  async html(bytes) {
    const html = decodeText(bytes, '')
    refuseBinary(html)
    const { title, markdown } = await htmlToMarkdown(html, undefined)
    const text = cleanText(markdown).trim()
    return { title: asTitle(title) ?? firstHeading(text), text }
  },
  pdf: readPdf,
}

function plainText(bytes: Uint8Array): string {
  const text = decodePlainText(bytes)
  refuseBinary(text)
  return cleanText(text)
}
