import { cjkCharacter, punctuation } from './inline-rules.ts'
import { mathAt } from './math-syntax.ts'

/** More than anybody opens on purpose: such marks are text. */
const MAX_OPEN = 8

type Opener = { mark: string; length: number }

/**
 * Ends what a half-written line has opened, so that its marks are never seen: emphasis, code and formulas are closed,
 * a link shows its label until its address is there, and a mark that nothing follows yet is left out.
 */
export function completeInline(text: string): string {
  let source = text
  const open: Opener[] = []
  const close = (body: string): string => body.trimEnd() + closersOf(open)
  for (let i = 0; i < source.length;) {
    const char = source[i]!
    const rest = source.slice(i)
    if (char === '\\' || char === '$') {
      const math = mathAt(rest)
      const pending = math ? undefined : pendingMath(rest)
      if (pending !== undefined)
        return pending === '' ? close(source.slice(0, i)) : source.trimEnd() + pending + closersOf(open)
      i += math ? math.raw.length : char === '$' ? 1 : 2
    } else if (char === '`') {
      const run = /^`+/.exec(rest)![0]
      const end = closingRun(source, run, i + run.length)
      if (end === undefined)
        return rest.length === run.length
          ? close(source.slice(0, i))
          : source.replace(/`+$/, '') + run + closersOf(open)
      i = end
    } else if (char === '<') {
      if (/^<(?:\/?[a-zA-Z][^<>]*|\/|!-{0,2})?$/.test(rest)) return close(source.slice(0, i))
      i++
    } else if (char === '[') {
      const link = linkAt(source, i)
      source = link.source
      i = link.next
    } else if (char === '*' || char === '_' || char === '~') {
      const run = runAt(source, i)
      const isLast = i + run === source.length
      const taken = canClose(source, i, run) ? closeRun(open, char, run) : 0
      if (isLast && taken < run) source = source.slice(0, i) + char.repeat(taken)
      else if (taken < run && mayOpen(source, i, run)) open.push({ mark: char, length: run - taken })
      if (open.length > MAX_OPEN) return text
      i += run
    } else i++
  }
  return open.length === 0 ? source : close(source)
}

const closersOf = (open: readonly Opener[]): string =>
  open
    .map(({ mark, length }) => mark.repeat(length))
    .reverse()
    .join('')

/** What to add to an unfinished formula; `''` if nothing follows its mark yet; `undefined` if it is none. */
function pendingMath(rest: string): string | undefined {
  if (/^(?:\\|\${1,2}|\\[([])$/.test(rest)) return ''
  if (rest.startsWith('\\(')) return '\\)'
  if (rest.startsWith('\\[')) return '\\]'
  if (/^\$\$(?!\$)[^$]+\$?$/.test(rest)) return rest.endsWith('$') ? '$' : '$$'
  return /^\$[^\s$\d][^$\n]*$/.test(rest) ? '$' : undefined
}

function closingRun(source: string, run: string, from: number): number | undefined {
  for (let at = source.indexOf(run, from); at >= 0;) {
    const length = runAt(source, at)
    if (length === run.length) return at + length
    at = source.indexOf(run, at + length)
  }
  return undefined
}

/** Leaves a complete link alone; of an incomplete one only the label stays. */
function linkAt(source: string, at: number): { source: string; next: number } {
  const start = source[at - 1] === '!' ? at - 1 : at
  const before = source.slice(0, start)
  const labelEnd = source.includes(']', at) ? matching(source, at) : undefined
  if (labelEnd === undefined && source[at + 1] === '^') return { source: before, next: before.length }
  if (labelEnd === undefined) return { source: before + source.slice(at + 1), next: start }
  const follows = source[labelEnd + 1]
  const label = source.slice(at + 1, labelEnd)
  if (follows === undefined && !label.startsWith('^')) return { source: before + label, next: start }
  if (follows !== '(' && follows !== '[') return { source, next: at + 1 }
  const end = matching(source, labelEnd + 1)
  return end === undefined ? { source: before + label, next: start } : { source, next: end + 1 }
}

/** Where the bracket at this place is closed. */
function matching(source: string, at: number): number | undefined {
  const open = source[at]
  const close = open === '(' ? ')' : ']'
  let depth = 0
  for (let i = at; i < source.length; i++) {
    if (source[i] === '\\') i++
    else if (source[i] === open) depth++
    else if (source[i] === close && --depth === 0) return i
  }
  return undefined
}

function runAt(source: string, at: number): number {
  let end = at + 1
  while (source[end] === source[at]) end++
  return end - at
}

/** Ends the openers that a run of marks can end, and says how many of its marks that took. */
function closeRun(open: Opener[], mark: string, run: number): number {
  let taken = 0
  while (taken < run) {
    const index = open.findLastIndex((opener) => opener.mark === mark)
    if (index < 0) break
    const length = Math.min(run - taken, open[index]!.length)
    open.length = index + 1
    open[index]!.length -= length
    if (open[index]!.length === 0) open.pop()
    taken += length
  }
  return taken
}

function canClose(source: string, at: number, run: number): boolean {
  const before = source[at - 1] ?? ' '
  const after = source[at + run] ?? ' '
  if (/\s/.test(before)) return false
  return !punctuation.test(before) || /\s/.test(after) || punctuation.test(after) || cjkCharacter.test(after)
}

/** Stricter than the grammar where guessing wrong would be seen: a lone mark inside a word or before a number is text. */
function mayOpen(source: string, at: number, run: number): boolean {
  const before = source[at - 1] ?? ' '
  const after = source[at + run] ?? ' '
  if (/\s/.test(after) || (source[at] === '~' && run !== 2)) return false
  const isWord = !/\s/.test(before) && !punctuation.test(before)
  if (isWord && (source[at] === '_' || (run === 1 && !cjkCharacter.test(before)))) return false
  return !punctuation.test(after) || !isWord || cjkCharacter.test(before) || '*_~`[$'.includes(after)
}
