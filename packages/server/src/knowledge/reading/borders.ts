import { CLASS, classOf, isSpace } from './character-classes.ts'
import type { Items } from './places.ts'

/** How good a place is for a cut: the end of a paragraph is the best, a place inside a word none. */
export const RANK = { none: 0, word: 1, clause: 2, sentence: 3, paragraph: 4 } as const

const MAX_CLOSERS = 4
/** More white space than this between two paragraphs is not looked through. */
const LOOK_AHEAD = 64

/** Of the place between two characters; white space may only follow it. */
export function rankAt(text: string, at: number, items: Items): number {
  const before = classOf(text.charCodeAt(at - 1))
  const next = classOf(text.charCodeAt(at))
  // Inside a word, as most are.
  if (before === CLASS.other && next === CLASS.other) return RANK.none
  if (before === CLASS.space || next === CLASS.closer) return RANK.none
  if (next !== CLASS.space) {
    // Chinese and Japanese have no spaces: any of their characters may begin a word, or end one.
    const isWord = next === CLASS.ideograph || (before === CLASS.ideograph && next === CLASS.other)
    const word = isWord ? RANK.word : RANK.none
    return before <= CLASS.ideograph ? word : Math.max(endRank(text, at, false), word)
  }
  let newlines = 0
  let after = at
  for (; after < at + LOOK_AHEAD && isSpace(text.charCodeAt(after)); after++)
    if (text.charCodeAt(after) === 0x0a) newlines++
  if (newlines > 1) return RANK.paragraph
  if (newlines === 1 && items.has(after)) return RANK.sentence
  return Math.max(endRank(text, at, true), RANK.word)
}

/** Of what was said up to here, by the mark it ends with. */
function endRank(text: string, at: number, isBeforeSpace: boolean): number {
  let last = at - 1
  while (last > at - MAX_CLOSERS && classOf(text.charCodeAt(last)) === CLASS.closer) last--
  switch (classOf(text.charCodeAt(last))) {
    case CLASS.sentenceEnd:
      return RANK.sentence
    case CLASS.clauseEnd:
      return RANK.clause
    case CLASS.sentenceEndBeforeSpace:
      return isBeforeSpace ? RANK.sentence : RANK.none
    case CLASS.clauseEndBeforeSpace:
      return isBeforeSpace ? RANK.clause : RANK.none
    default:
      return RANK.none
  }
}
