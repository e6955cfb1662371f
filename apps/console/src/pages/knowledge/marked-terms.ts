export type Piece = { text: string; isTerm: boolean }

/** A passage in pieces: those that the question's words stand in, and the others. Chinese has no spaces: two characters are a word. */
export function marked(passage: string, question: string): Piece[] {
  const terms = termsOf(question)
  if (terms.length === 0) return [{ text: passage, isTerm: false }]
  const pattern = new RegExp(`(${terms.join('|')})`, 'giu')
  return passage
    .split(pattern)
    .map((text, index) => ({ text, isTerm: index % 2 === 1 }))
    .filter(({ text }) => text !== '')
}

function termsOf(question: string): string[] {
  const runs = question.toLowerCase().match(/\p{Script=Han}+|[\p{L}\p{N}]+/gu) ?? []
  const terms = runs.flatMap((run) =>
    /\p{Script=Han}/u.test(run) ? (run.length < 3 ? [run] : pairsOf(run)) : run.length > 1 ? [run] : [],
  )
  return [...new Set(terms)].toSorted((a, b) => b.length - a.length)
}

function pairsOf(run: string): string[] {
  return Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2))
}
