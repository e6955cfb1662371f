import { SAME_MEANING } from './same-meaning.ts'
import { isPair, type Run, runsOf, stem, termsOf } from './terms.ts'

/** A word by its terms: a passage that has all of them has the word. */
export type OtherWord = readonly string[]

/** A word of the table: how it is recognized, and what else is said for it. */
type KnownWord = { tokens: readonly string[]; own: readonly string[]; others: readonly OtherWord[] }

let table: ReadonlyMap<string, readonly KnownWord[]> | undefined

/** The words in a question that others are used for, by their own terms and those of the others. */
export function wordsKnownIn(runs: readonly Run[]): Pick<KnownWord, 'own' | 'others'>[] {
  table ??= byFirstToken()
  const known = table
  const tokens = runs.flatMap(tokensOf)
  return tokens.flatMap((token, start) =>
    (known.get(token) ?? []).filter((word) => word.tokens.every((each, place) => tokens[start + place] === each)),
  )
}

function byFirstToken(): Map<string, KnownWord[]> {
  const words = SAME_MEANING.flatMap((group) => {
    const termed = group.map((word) => ({ tokens: runsOf(word).flatMap(tokensOf), own: termsOf(word) }))
    // Phrases of several words are recognized in questions only: in a passage such words stand for themselves.
    const findable = termed.filter(({ own }) => own.length === 1 || own.every(isPair))
    return termed.map((word) => ({
      ...word,
      others: findable.filter((other) => other !== word).map(({ own }) => own),
    }))
  })
  return Map.groupBy(words, ({ tokens }) => tokens[0]!)
}

function tokensOf({ text, isCjk }: Run): string[] {
  return isCjk ? [...text] : [stem(text)]
}
