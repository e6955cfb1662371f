import type { Language } from './language.ts'

/**
 * Who reads what the server says. A provider's own words, and what names hosts or settings, are for the people of the
 * account; visitors of a product get plain ones.
 */
export type Reader = {
  language: Language
  audience: 'account' | 'visitor'
  /** Said of visitors whose consent does not count: the account decides. */
  mayDecide?: false
}

export function readerFor({ subject, scopes }: ReaderRights, language: Language): Reader {
  if (subject === undefined) return { language, audience: 'account' }
  return { language, audience: 'visitor', ...(!scopes?.includes('decide') && { mayDecide: false }) }
}

/** What of a principal decides what they are told. */
export type ReaderRights = { subject?: string; scopes?: readonly string[] | undefined }
