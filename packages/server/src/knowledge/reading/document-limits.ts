import type { DocumentKind } from './document-kind.ts'

/** Of a file, as it comes. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024
/** Of what is read from it, in UTF-16 code units. */
export const MAX_TEXT_CHARACTERS = 1024 * 1024
/** Of a PDF. */
export const MAX_PAGES = 10_000

/** What is handed to the process that reads. */
export type DocumentJob = { kind: DocumentKind; bytes: Uint8Array }

/** `pages`: of a PDF, where each page begins in the text. */
export type DocumentText = { title: string | null; text: string; pages?: number[] }

/** Why a file is not read: goes on from its name, "… is encrypted.", and says what to do. */
export type Refusal = { refused: 'invalid_payload' | 'payload_too_large'; because: string }

/** Ends the reading of a file; for whoever reads, inside the process. */
export class Refused extends Error {
  readonly refusal: Refusal

  constructor(refused: Refusal['refused'], because: string) {
    super(because)
    this.refusal = { refused, because }
  }
}

export function tooLong(): Refused {
  return new Refused(
    'payload_too_large',
    `has more than ${MAX_TEXT_CHARACTERS} characters of text. Split it into several files.`,
  )
}
