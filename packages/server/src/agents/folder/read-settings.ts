import { isCollection, isMap, isScalar, LineCounter, type Node, parseDocument, type ParsedNode, visit } from 'yaml'
import { z } from 'zod'
import { jsonErrorPlace } from '../../config/json-error-place.ts'
import { nearestName } from '../../words/nearest-name.ts'
import { FolderError, shownName } from './walk-folder.ts'

/** More is no file that somebody wrote by hand. */
const MAX_CHARACTERS = 32 * 1024
/** Nothing that a settings file may say lies half as deep; parsers take long for what does. */
const MAX_DEPTH = 20
const DEEP_LINE = new RegExp(`(?:[-?] +){${MAX_DEPTH}}`)
/** Mistakes that are named; whoever mends them sees the next. */
const MAX_NAMED = 20

export type SettingsFile<Schema extends z.ZodType> = {
  path: string
  text: string
  schema: Schema
  /** Default 32 768. */
  maxCharacters?: number
  /** Fields that are known, but stand elsewhere: where. */
  elsewhere?: Record<string, string>
}

/** A settings file as its schema reads it; throws a `FolderError` that names the line of every mistake. */
export function readYaml<Schema extends z.ZodType>(file: SettingsFile<Schema>): z.output<Schema> {
  const { path } = file
  const text = demandPlain(file)
  const source = parseSource(text)
  const mistake = [...source.document.errors, ...source.document.warnings][0]
  if (mistake) throw new FolderError([`${path}:${source.lineAt(mistake.pos[0])}: ${firstLine(mistake.message)}`])
  // They could make gigabytes of a few lines.
  visit(source.document, {
    Alias(_key, { range }) {
      throw new FolderError([`${path}:${source.lineAt(range?.[0] ?? 0)}: aliases are not supported`])
    },
  })
  // A file of nothing but comments says nothing.
  return checked(file, source.document.toJS() ?? {}, () => source)
}

/** `wrapper`: a name that the whole may, but need not, stand under. */
export function readJson<Schema extends z.ZodType>(file: SettingsFile<Schema>, wrapper: string): z.output<Schema> {
  const { path } = file
  const text = demandPlain(file)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const { line, column } = jsonErrorPlace(text, error as Error)
    throw new FolderError([`${path}:${line}:${column}: ${firstLine((error as Error).message)}`], { cause: error })
  }
  // JSON is YAML, whose parser knows where everything stands, and takes its time.
  const source = () => parseSource(text)
  const isWrapped = typeof value === 'object' && value !== null && Object.keys(value).join() === wrapper
  if (!isWrapped) return checked(file, value, source)
  return checked(file, (value as Record<string, unknown>)[wrapper], () => ({ ...source(), above: [wrapper] }))
}

/** Where something stands in a file that is good: `policy.yaml:3`. */
export function placeIn(path: string, text: string): (keys: readonly PropertyKey[]) => string {
  let source: Source | undefined
  return (keys) => placeOf(path, keys, (source ??= parseSource(text)))
}

type Source = {
  document: ReturnType<typeof parseDocument<ParsedNode>>
  lineAt: (offset: number) => number
  /** What stands around the value that is checked. */
  above: string[]
}

function parseSource(text: string): Source {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  return { document, lineAt: (offset) => lines.linePos(Math.min(offset, text.length)).line, above: [] }
}

function demandPlain({ path, text, maxCharacters = MAX_CHARACTERS }: SettingsFile<z.ZodType>): string {
  if (text.length > maxCharacters) throw new FolderError([`${path}: is longer than ${maxCharacters} characters`])
  let depth = 0
  let deepest = 0
  for (const character of text) {
    if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth)
    if (character === ']' || character === '}') depth = Math.max(0, depth - 1)
  }
  if (deepest > MAX_DEPTH || DEEP_LINE.test(text))
    throw new FolderError([`${path}: is nested deeper than ${MAX_DEPTH}`])
  return text
}

function checked<Schema extends z.ZodType>(
  { path, schema, elsewhere = {} }: SettingsFile<Schema>,
  value: unknown,
  sourceOf: () => Source,
): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const source = sourceOf()
  const problems = parsed.error.issues.slice(0, MAX_NAMED).flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [`${placeOf(path, issue.path, source)}: ${explain(issue)}`]
    return issue.keys.slice(0, MAX_NAMED).map((key) => {
      const place = placeOf(path, [...issue.path, key], source)
      return `${place}: ${noSuchField([...issue.path, key], knownAt(schema, issue.path), elsewhere)}`
    })
  })
  throw new FolderError(problems.slice(0, MAX_NAMED))
}

function explain({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${shownName(path.join('.'))}: ${message}`
}

function noSuchField(path: PropertyKey[], known: readonly string[], elsewhere: Record<string, string>): string {
  const name = shownName(path.map(String).join('.'))
  const other = path.length === 1 && Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined
  if (other !== undefined) return `${name}: ${other}`
  const meant = nearestName(String(path.at(-1)), known)
  return `${name}: there is no such field. ${meant ? `Did you mean ${meant}?` : `Fields are: ${known.join(', ')}.`}`
}

function knownAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: unknown = schema
  for (const key of path) {
    at = unwrapped(at)
    if (at instanceof z.ZodArray) at = at.element
    else if (at instanceof z.ZodObject) at = (at.shape as Record<PropertyKey, unknown>)[key]
  }
  at = unwrapped(at)
  return at instanceof z.ZodObject ? Object.keys(at.shape) : []
}

function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? unwrapped(schema.unwrap()) : schema
}

/** `agent.yaml:3`: where the deepest part of this path stands that is there. */
function placeOf(file: string, path: readonly PropertyKey[], { document, lineAt, above }: Source): string {
  let node: Node | null = document.contents
  let offset = node?.range?.[0] ?? 0
  for (const key of [...above, ...path]) {
    const pair = isMap(node) ? node.items.find(({ key: named }) => isScalar(named) && named.value === key) : undefined
    const next = pair ? (pair.key as Node) : isCollection(node) ? node.get(key, true) : undefined
    if (!next) break
    offset = next.range?.[0] ?? offset
    node = (pair ? pair.value : next) as Node | null
  }
  return `${file}:${lineAt(offset)}`
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!
}
