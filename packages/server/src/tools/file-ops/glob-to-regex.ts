import { AgentError } from '@parley/protocol'

/** One character of a name; the first may be a dot only where the pattern has one. */
const ANY = '[^/]'
const FIRST = '[^/.]'
const MAX_RANGE = 1_000

/**
 * A glob as a regular expression that an engine without backtracking can run; anchored at neither end. `*` and `?` stay
 * within a name and leave out a dot at its beginning, `**` as a whole name stands for any directories; `[a-z]`, `{a,b}`,
 * `{1..3}`, `@(a|b)`, `?(…)`, `+(…)` and `*(…)` are what shells take them for. Throws `invalid_payload` for `!(…)`.
 */
export function globToRegex(pattern: string): string {
  const tidy = pattern.replaceAll('\\', '/').replaceAll(/\/+(?:\.\/+)*/g, '/')
  return sequence({ text: tidy, at: 0 }, '', true)
}

/** Text as a regular expression that matches just that. */
export function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

type Cursor = { readonly text: string; at: number }

/** Reads up to one of `ends`, or to the end of the pattern. `begins`: a name begins here. */
function sequence(cursor: Cursor, ends: string, begins: boolean): string {
  let regex = ''
  for (let isFirst = begins; cursor.at < cursor.text.length;) {
    const next = cursor.text[cursor.at]!
    if (ends.includes(next)) break
    regex += take(cursor, isFirst)
    // What follows directories that may be none begins a name, too.
    isFirst = cursor.text[cursor.at - 1] === '/'
  }
  return regex
}

function take(cursor: Cursor, isFirst: boolean): string {
  const { text, at } = cursor
  const rest = text.slice(at)
  const skip = (length: number) => (cursor.at += length)

  if (isFirst && rest.startsWith('**/')) {
    skip(3)
    return `(?:${FIRST}${ANY}*/)*`
  }
  if (isFirst && rest === '**') {
    skip(2)
    return `(?:${FIRST}${ANY}*/)*${FIRST}${ANY}*`
  }
  const [opening, kind] = /^(?:([@?*+!])\(|\{)/.exec(rest) ?? []
  if (opening !== undefined && closes(rest, opening)) {
    if (kind === '!') throw new AgentError('invalid_payload', 'The pattern has !(…), which is not supported.')
    skip(opening.length)
    return alternatives(cursor, kind, isFirst)
  }
  const [range, from, to] = /^\{(\d{1,6})\.\.(\d{1,6})\}/.exec(rest) ?? []
  if (range !== undefined && Math.abs(Number(to) - Number(from)) < MAX_RANGE) {
    skip(range.length)
    return `(?:${numbers(Number(from), Number(to)).join('|')})`
  }
  const set = setAt(rest)
  if (set) {
    skip(set.length)
    return isFirst && set.members !== '.' ? set.within(FIRST) : set.within(ANY)
  }
  // With the question marks among them: each is one character, wherever it stands.
  const stars = /^\*(?:[*?](?!\())*/.exec(rest)?.[0]
  if (stars !== undefined) {
    skip(stars.length)
    const least = stars.replaceAll('*', '').length
    if (!isFirst) return `${ANY}{${least},}`
    if (least > 0) return `${FIRST}${ANY}{${least - 1},}`
    const after = setAt(rest.slice(stars.length))
    if (after) {
      skip(after.length)
      return `(?:${FIRST}${ANY}*${after.within(ANY)}|${after.within(FIRST)})`
    }
    // Alone it is a whole name, never an empty one; and were it empty before a dot, the dot would be the first.
    return /^(?:$|[/.])/.test(rest.slice(stars.length)) ? `${FIRST}${ANY}*` : `(?:${FIRST}${ANY}*)?`
  }
  const [character] = rest
  skip(character!.length)
  if (character === '?') return isFirst ? FIRST : ANY
  return literal(character!)
}

function alternatives(cursor: Cursor, kind: string | undefined, isFirst: boolean): string {
  const [close, between] = kind === undefined ? ['}', ','] : [')', '|']
  const choices: string[] = []
  do choices.push(sequence(cursor, `${close}${between}`, isFirst))
  while (cursor.text[cursor.at++] === between)
  return `(?:${choices.join('|')})${kind === undefined || kind === '@' ? '' : kind}`
}

/** Whether the group that begins the text has an end; braces need a choice, too, or they are themselves. */
function closes(text: string, opening: string): boolean {
  const isBrace = opening === '{'
  let depth = 0
  let hasChoice = !isBrace
  for (const character of text.slice(opening.length)) {
    if (character === (isBrace ? '{' : '(')) depth++
    else if (character === (isBrace ? '}' : ')') && depth-- === 0) return hasChoice
    else if (character === ',' && depth === 0) hasChoice = true
  }
  return false
}

/** The set that the text begins with, e.g. `[!a-z]`; `within` is it as a regular expression, of these characters. */
function setAt(text: string): { length: number; members: string; within: (characters: string) => string } | undefined {
  const [set, not, members] = /^\[([!^]?)(\]?(?:\[:\w+:\]|[^\]/])*)\]/.exec(text) ?? []
  if (set === undefined || members === undefined || members === '') return undefined
  const safe = members.replaceAll(/\[:\w+:\]|[\\[\]&~^]/g, (part) => (part.length > 1 ? part : `\\${part}`))
  return {
    length: set.length,
    members: `${not}${members}`,
    within: (characters) => `[[${not === '' ? '' : '^'}${safe}]&&${characters}]`,
  }
}

function numbers(from: number, to: number): number[] {
  const step = from <= to ? 1 : -1
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => from + index * step)
}
