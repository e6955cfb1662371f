import { stemmer } from 'stemmer'

const WORD_LENGTH = 64

const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}`
const RUNS = new RegExp(String.raw`(?<cjk>[${CJK}]+)|(?<word>(?:(?![${CJK}])[\p{L}\p{N}\p{M}])+)`, 'gu')
const BEGINS_CJK = new RegExp(`^[${CJK}]`, 'u')

/** Letters and digits without a break between them, in lower case. */
export type Run = { text: string; isCjk: boolean }

/**
 * [S15.3] The terms of a text, in order: words of letters and digits by their stems, in lower case; Chinese, Japanese and
 * Korean text as overlapping pairs of characters, a single one as it is.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = []
  for (const run of runsOf(text)) {
    if (run.isCjk) terms.push(...pairs(run.text))
    else terms.push(stem(run.text))
  }
  return terms
}

export function runsOf(text: string): Run[] {
  const plain = text.normalize('NFKC').toLowerCase()
  return [...plain.matchAll(RUNS)].map((match) => ({
    text: match.groups?.['cjk'] ?? match[0].slice(0, WORD_LENGTH),
    isCjk: match.groups?.['cjk'] !== undefined,
  }))
}

export function pairs(text: string): string[] {
  const characters = [...text]
  if (characters.length === 1) return characters
  return characters.slice(0, -1).map((character, index) => character + characters[index + 1]!)
}

/** English endings are no part of what is looked for; other words, and numbers, stay as they are. */
export function stem(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? stemmer(word) : word
}

/** Whether a term is made of such characters, and not a word. */
export function isPair(term: string): boolean {
  return BEGINS_CJK.test(term)
}
