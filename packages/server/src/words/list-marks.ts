import type { Language } from './language.ts'

/** What stands between words, and in lists: between names, between clauses, between groups of them. */
export const LIST_MARKS: Record<'words' | 'names' | 'clauses' | 'groups', Record<Language, string>> = {
  words: { en: ' ', zh: '' },
  names: { en: ', ', zh: '、' },
  clauses: { en: ', ', zh: '，' },
  groups: { en: '; ', zh: '；' },
}
