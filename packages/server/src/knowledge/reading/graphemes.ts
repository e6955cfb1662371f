import { isIdeograph, isSpace } from './character-classes.ts'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** Below this nothing joins what follows it, or what it follows; but for a line end of two characters. */
const FIRST_THAT_JOINS = 0x300
/** Characters are seldom longer. */
const CONTEXT = 32

/** The last place at or before `at` that is not inside what people take for one character. `from` is such a place. */
export function graphemeStart(text: string, from: number, at: number): number {
  if (at <= from || at >= text.length || isPlain(text, at)) return at
  for (let context = CONTEXT; ; context *= 4) {
    let known = at - 1
    while (known > from && known > at - context && !isPlain(text, known)) known--
    // Flags are pairs, counted from the first.
    while (known > from && isFlagHalf(text, known)) known--
    const start = known + segmenter.segment(text.slice(known, at + 2)).containing(at - known)!.index
    // One that begins where the look began may have begun before.
    if (start > known || known <= from || isPlain(text, known)) return start
  }
}

function isFlagHalf(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === 0xd83c || (code >= 0xdde6 && code <= 0xddff)
}

/** Behind white space; unless something joins the last of it, as an accent does. `from` is no place inside a character. */
export function skipSpace(text: string, from: number, end: number): number {
  let at = from
  while (at < end && isSpace(text.charCodeAt(at))) at++
  return at < end ? graphemeStart(text, from, at) : at
}

/** Where white space before `end` begins, but not before `from`. */
export function trimmedEnd(text: string, from: number, end: number): number {
  let at = end
  while (at > from && isSpace(text.charCodeAt(at - 1))) at--
  return at
}

/** For most places two looks are enough. */
function isPlain(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  if (after === 0x0a) return before !== 0x0d
  return (before < FIRST_THAT_JOINS || isIdeograph(before)) && (after < FIRST_THAT_JOINS || isIdeograph(after))
}
