import { Refused } from './document-limits.ts'

/** Of the characters of a text; binary data has about one in ten. */
const MAX_CONTROL_SHARE = 0.01
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/g
/** A picture inside a document, as text: nothing to read, and often most of the file. */
const DATA_URL = /data:[\w.+/-]{1,100}(?:;[\w=.-]{1,100}){0,4},[\w+/=%-]{64,}/g

/** Throws a `Refused` for what is no text, whatever it is called. */
export function refuseBinary(text: string): void {
  if (text.startsWith('%PDF-'))
    throw new Refused('invalid_payload', 'is a PDF document. Give it a name that ends in .pdf.')
  // Databases cannot keep it either.
  if (text.includes('\0')) throw noText()
  const controls = text.match(CONTROL)?.length ?? 0
  if (controls > text.length * MAX_CONTROL_SHARE) throw noText()
}

function noText(): Refused {
  return new Refused('invalid_payload', 'is not text. Markdown, text, HTML and PDF can be read.')
}

/** One kind of line end, no characters that nobody sees or that a database refuses, no pictures written as text. */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?|\u2028|\u2029|\u0085/g, '\n')
    .replaceAll('\0', '')
    .replace(CONTROL, '')
    .replace(DATA_URL, 'data:')
    .toWellFormed()
}
