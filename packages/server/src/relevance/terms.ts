import { stemmer } from 'stemmer'
import { CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS, WEAK_WORDS } from './stop-words.ts'

/**
 * [S15.3] A term of a question, and how much it says by itself. `word`: which of its words it belongs to; `null` for a pair
 * of characters where two words meet, which says little, and nothing at all where it stands nowhere.
 */
export type QueryTerm = { term: string; weight: number; word: number | null }

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
  const terms = new Map<string, QueryTerm>()
  let words = 0
  const add = (term: QueryTerm) => {
    const known = terms.get(term.term)
    if (!known || known.weight < term.weight) terms.set(term.term, term)
  }
  for (const run of runsOf(question.slice(0, QUERY_CHARACTERS))) {
    if (run.isCjk) words = pairsAsked(run.text, words, add)
    else if (!isStopWord(run.text)) add({ term: stem(run.text), weight: isWeak(run.text) ? WEAK : 1, word: words++ })
  }
  return [...terms.values()].slice(0, QUERY_TERMS)
}

/** In any form: `helped` says no more than `help`. */
function isStopWord(word: string): boolean {
  return ENGLISH_STOP_WORDS.has(word) || ENGLISH_STOP_WORDS.has(stem(word))
}

function isWeak(word: string): boolean {
  return WEAK_WORDS.has(word) || WEAK_WORDS.has(stem(word))
}

/** Pairs of the words that carry meaning, and those where two such words meet. Returns the number of the next word. */
function pairsAsked(text: string, first: number, add: (term: QueryTerm) => void): number {
  let number = first
  let before = ''
  for (const word of wordsOf(text)) {
    if (CHINESE_STOP_WORDS.has(word)) {
      before = ''
      continue
    }
    const [head] = [...word]
    if (before !== '') add({ term: before.at(-1)! + head!, weight: ACROSS_WORDS, word: null })
    before = word
    // One character is hardly ever all of a word: with its neighbours it is looked for above.
    if (word.length === 1 && text.length > 1) continue
    const weight = isWeak(word) ? WEAK : 1
    for (const term of pairs(word)) add({ term, weight, word: number })
    number++
  }
  return number
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
