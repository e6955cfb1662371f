import { type OtherWord, wordsKnownIn } from './other-words.ts'
import { CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS, WEAK_WORDS } from './stop-words.ts'
import { isPair, pairs, runsOf, stem } from './terms.ts'

/** [S15.3] A term of a question, and how much it says by itself. */
export type QueryTerm = {
  term: string
  weight: number
  /**
   * Which of its words it belongs to; `null` for a pair of characters where two words meet, which says little, and nothing at
   * all where it stands nowhere.
   */
  word: number | null
  /** What a passage may say in its place. */
  others: readonly OtherWord[]
}

/** Of a longer question only its beginning is looked for. */
const QUERY_CHARACTERS = 2_000
const QUERY_TERMS = 64
/** What two words happen to make where they meet is hardly ever a word. */
const ACROSS_WORDS = 0.25
/** Of a word that belongs to every subject. */
const WEAK = 0.4
/** A number, or so many of something. */
const NUMERAL = /^[零一二两三四五六七八九十百千万几半]+[只个点些次条件张本位名份块岁]?$/u

/**
 * The terms that a question asks for, each once. Words that every question has are left out, unless it has no others: a
 * question of nothing but such words asks for nothing.
 */
export function queryTerms(question: string, { isLiteral = false } = {}): QueryTerm[] {
  const terms = new Map<string, QueryTerm>()
  let words = 0
  const add = (term: Omit<QueryTerm, 'others'>) => {
    const known = terms.get(term.term)
    if (!known || known.weight < term.weight) terms.set(term.term, { ...term, others: [] })
  }
  const runs = runsOf(question.slice(0, QUERY_CHARACTERS))
  for (const run of runs) {
    if (run.isCjk) words = pairsAsked(run.text, words, add)
    else if (!isStopWord(run.text)) add({ term: stem(run.text), weight: isWeak(run.text) ? WEAK : 1, word: words++ })
  }
  for (const { own, others } of isLiteral ? [] : wordsKnownIn(runs)) {
    const isAsked = own.some((term) => (terms.get(term)?.word ?? null) !== null)
    // The system cuts colloquial words into characters, none of which is asked for by itself.
    if (!isAsked) for (const term of own.filter(isPair)) add({ term, weight: 1 / own.length, word: words })
    words++
    for (const term of own) {
      const known = terms.get(term)
      if (known && known.word !== null) terms.set(term, { ...known, others: [...known.others, ...others] })
    }
  }
  return [...terms.values()].slice(0, QUERY_TERMS)
}

/** In any form: `helped` says no more than `help`. */
function isStopWord(word: string): boolean {
  return ENGLISH_STOP_WORDS.has(word) || ENGLISH_STOP_WORDS.has(stem(word))
}

function isWeak(word: string): boolean {
  return WEAK_WORDS.has(word) || WEAK_WORDS.has(stem(word)) || NUMERAL.test(word)
}

/** Pairs of the words that carry meaning, and those where two such words meet. Returns the number of the next word. */
function pairsAsked(text: string, first: number, add: (term: Omit<QueryTerm, 'others'>) => void): number {
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
