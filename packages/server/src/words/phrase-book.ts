import type { Language } from './language.ts'
import { filled, type Values } from './filled.ts'
import { type Phrase, PHRASES } from './phrases.ts'
import { FAILURES, SAID } from './phrases/failures.ts'
import { NOTICES } from './phrases/notices.ts'
import { ERROR_PHRASES, REFUSALS } from './phrases/errors.ts'
import { RESULTS } from './phrases/results.ts'
import { SCHEDULE_ENDS } from './phrases/schedule-ends.ts'

/** How deep sentences of ours stand in one another: a retry quotes a failure, which quotes what was said. */
const MAX_DEPTH = 3

/** A sentence of ours that was found in a text, and what stood in its gaps. */
type Found = { phrase: Phrase; values: Values }

/** Where a sentence may stand decides which ones are looked for: a tool may say anything. */
export type Shelf = keyof typeof SHELVES

const SHELVES = {
  notice: Object.values<Phrase>(NOTICES),
  failure: Object.values<Phrase>({ ...FAILURES, ...ERROR_PHRASES, ...REFUSALS, ...RESULTS, ...SCHEDULE_ENDS }),
  result: Object.values<Phrase>({ ...RESULTS, ...ERROR_PHRASES }),
  said: Object.values<Phrase>(SAID),
}

/**
 * What is stored is a sentence, in the language of the server that wrote it. This finds which one it is, in either
 * language, and says it in the reader's; `undefined` when it is none of ours.
 */
export function reword(text: string, shelf: Shelf, language: Language): string | undefined {
  return rewordAt(text, shelf, { language, depth: 1 })
}

/** Is this a sentence that only operators may read? */
export function isForOperators(text: string, shelf: Shelf): boolean {
  return find(text, shelf)?.phrase.forOperators ?? false
}

function find(text: string, shelf: Shelf): Found | undefined {
  if (text.length === 0) return undefined
  for (const phrase of SHELVES[shelf]) {
    const values = valuesIn(text, phrase.en) ?? valuesIn(text, phrase.zh)
    if (values) return { phrase, values }
  }
  return undefined
}

/** Sentences stand inside sentences, but not for ever. */
type Into = { language: Language; depth: number }

function rewordAt(text: string, shelf: Shelf, { language, depth }: Into): string | undefined {
  const found = depth > MAX_DEPTH ? undefined : find(text, shelf)
  return found && filled(found.phrase[language], innerWords(found.values, { language, depth: depth + 1 }))
}

/** What a provider said may be words of ours, and may end with where to look. */
function innerWords(values: Values, into: Into): Values {
  const { said, names } = values
  return {
    ...values,
    ...(typeof said === 'string' && { said: rewordSaid(said, into) }),
    ...(typeof names === 'string' && { names: rewordNames(names, into) }),
  }
}

function rewordSaid(said: string, into: Into): string {
  return rewordAt(said, 'said', into) ?? rewordAt(said, 'failure', into) ?? said
}

const AND: Record<Language, string> = { en: ' and ', zh: ' 和 ' }

function rewordNames(names: string, into: Into): string {
  return names
    .split(/ and | 和 /)
    .map((name) => rewordAt(name, 'said', into) ?? name)
    .join(AND[into.language])
}

type Pattern = { literals: string[]; names: string[] }
const patterns = new Map<string, Pattern>()

/** The text's values if it has the form of the template. Literal by literal, each where it is found first: linear. */
function valuesIn(text: string, template: string): Values | undefined {
  const { literals, names } = patternOf(template)
  const first = literals[0]!
  const last = literals.at(-1)!
  if (names.length === 0) return text === template ? {} : undefined
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return undefined
  const values: Record<string, string> = {}
  const end = text.length - last.length
  let at = first.length
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1
    const next = isLast ? end : text.indexOf(literals[index + 1]!, at)
    if (next < at || next > end) return undefined
    values[name] = text.slice(at, next)
    at = isLast ? next : next + literals[index + 1]!.length
  }
  return values
}

function patternOf(template: string): Pattern {
  const known = patterns.get(template)
  if (known) return known
  const parts = template.split(/\{(\w+)\}/)
  const pattern = {
    literals: parts.filter((_, index) => index % 2 === 0),
    names: parts.filter((_, index) => index % 2 === 1),
  }
  patterns.set(template, pattern)
  return pattern
}

/** For the test of the catalogue. */
export const CATALOGUE: Readonly<Record<string, Phrase>> = { ...PHRASES, ...SAID }
