import { stemmer } from 'stemmer'
import { CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS, WEAK_WORDS } from './stop-words.ts'

/** [S15.3] A term of a question, and how much it says by itself: a pair of characters across two words says little. */
export type QueryTerm = { term: string; weight: number }

/** Of a longer question only its beginning is looked for. */
const QUERY_CHARACTERS = 2_000
const QUERY_TERMS = 64
const WORD_LENGTH = 64
/** What two words happen to make where they meet is hardly ever a word. */
const ACROSS_WORDS = 0.25
/** Of a word that belongs to every subject. */
const WEAK = 0.4

const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}`
const RUNS = new RegExp(String.raw`(?<cjk>[${CJK}]+)|(?<word>(?:(?![${CJK}])[\p{L}\p{N}\p{M}])+)`, 'gu')

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

/**
 * The terms that a question asks for, each once. Words that every question has are left out, unless it has no others: a
 * question of nothing but such words asks for nothing.
 */
export function queryTerms(question: string): QueryTerm[] {
  const weights = new Map<string, number>()
  const add = (term: string, weight: number) => weights.set(term, Math.max(weight, weights.get(term) ?? 0))
  for (const run of runsOf(question.slice(0, QUERY_CHARACTERS))) {
    if (run.isCjk) for (const { term, weight } of pairsAsked(run.text)) add(term, weight)
    else if (!isStopWord(run.text)) add(stem(run.text), isWeak(run.text) ? WEAK : 1)
  }
  return [...weights].slice(0, QUERY_TERMS).map(([term, weight]) => ({ term, weight }))
}

/** In any form: `helped` says no more than `help`. */
function isStopWord(word: string): boolean {
  return ENGLISH_STOP_WORDS.has(word) || ENGLISH_STOP_WORDS.has(stem(word))
}

function isWeak(word: string): boolean {
  return WEAK_WORDS.has(word) || WEAK_WORDS.has(stem(word))
}

/** Pairs of the words that carry meaning; those across two such words count for less. */
function pairsAsked(text: string): QueryTerm[] {
  const asked: QueryTerm[] = []
  let before = ''
  for (const word of wordsOf(text)) {
    if (CHINESE_STOP_WORDS.has(word)) {
      before = ''
      continue
    }
    if (before !== '') asked.push({ term: before.at(-1)! + [...word][0]!, weight: weightAcross(before, word) })
    const characters = [...word]
    if (characters.length === 1) asked.push({ term: word, weight: ACROSS_WORDS })
    else asked.push(...pairs(word).map((term) => ({ term, weight: isWeak(word) ? WEAK : 1 })))
    before = word
  }
  return asked
}

/** Two words of one character are often one of two that the system does not know. */
function weightAcross(before: string, after: string): number {
  return [...before].length === 1 || [...after].length === 1 ? 2 * ACROSS_WORDS : ACROSS_WORDS
}

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })

function wordsOf(text: string): string[] {
  return [...segmenter.segment(text)].map(({ segment }) => segment)
}

function runsOf(text: string): { text: string; isCjk: boolean }[] {
  const plain = text.normalize('NFKC').toLowerCase()
  return [...plain.matchAll(RUNS)].map((match) => ({
    text: match.groups?.['cjk'] ?? match[0].slice(0, WORD_LENGTH),
    isCjk: match.groups?.['cjk'] !== undefined,
  }))
}

function pairs(text: string): string[] {
  const characters = [...text]
  if (characters.length === 1) return characters
  return characters.slice(0, -1).map((character, index) => character + characters[index + 1]!)
}

/** English endings are no part of what is looked for; other words, and numbers, stay as they are. */
function stem(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? stemmer(word) : word
}
