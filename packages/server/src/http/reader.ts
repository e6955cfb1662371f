import type { FastifyRequest } from 'fastify'
import { acceptedLanguage, type Language } from '../words/language.ts'
import { type Reader, readerFor, type ReaderRights } from '../words/reader.ts'

const readers = new WeakMap<FastifyRequest, Reader>()

/** Until somebody has come through the door, only their language is known. */
export function greetReader(request: FastifyRequest, language: Language): void {
  readers.set(request, readerFor({}, acceptedLanguage(request.headers['accept-language']) ?? language))
}

/** Who it is decides what they are told. */
export function knowReader(request: FastifyRequest, principal: ReaderRights): void {
  readers.set(request, readerFor(principal, readerOf(request).language))
}

/** Whom the answer to this request is for. */
export function readerOf(request: FastifyRequest): Reader {
  return readers.get(request) ?? { language: 'en', audience: 'visitor' }
}
