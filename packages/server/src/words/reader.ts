import type { Language } from './language.ts'

/**
 * Who reads what the server says. A provider's own words, and what names hosts or settings, are for the people of the
 * account; visitors of a product get plain ones.
 */
export type Reader = { language: Language; audience: 'account' | 'visitor' }

export function readerFor(principal: { subject?: string }, language: Language): Reader {
  return { language, audience: principal.subject === undefined ? 'account' : 'visitor' }
}
