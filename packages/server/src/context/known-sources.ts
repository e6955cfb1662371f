import type { Source, TurnProjection } from '@parley/protocol'
import { readStored } from '../store/stored-json.ts'

/** The tool whose results are sources too; `knowledge/search-tool.ts` makes them. */
const SEARCH = 'SearchKnowledge'
const NUMBER = /\[(\d{1,6})\]/g
const EXCERPT = 240

/**
 * What a session's model was given to cite, by the numbers it has there: read from stored turns, so that whoever carries a
 * run on knows the same.
 */
export class KnownSources {
  readonly #sources = new Map<number, Source>()

  /** Oldest first. */
  constructor(turns: readonly TurnProjection[]) {
    for (const turn of turns) this.#learn(turn)
  }

  /** Turns that were stored just now. Most have none, and are not read for it. */
  add(rows: readonly { projection: string }[]): void {
    for (const { projection } of rows) {
      if (!projection.includes(SEARCH)) continue
      const turn = readStored(projection) as TurnProjection | undefined
      if (turn) this.#learn(turn)
    }
  }

  /** Those that a text names, in the order in which it does; a number that stands for nothing is only a number. */
  citedIn(text: string): Source[] {
    if (this.#sources.size === 0) return []
    const numbers = new Set([...text.matchAll(NUMBER)].map((match) => Number(match[1])))
    return [...numbers].flatMap((number) => this.#sources.get(number) ?? [])
  }

  /** What others say that they were given is no source of ours. */
  #learn({ sources, tool_calls, imported }: TurnProjection): void {
    if (imported) return
    for (const source of sources ?? []) this.#sources.set(source.ref, source)
    for (const { tool_name, status, result } of tool_calls)
      if (tool_name === SEARCH && status === 'done')
        for (const found of passagesIn(result)) this.#sources.set(found.ref, toSource(found))
  }
}

/** A passage in a result of the search. */
export type FoundPassage = Omit<Source, 'excerpt'> & { passage: number; text: string }

export function passagesIn(result: unknown): FoundPassage[] {
  const { passages } = (typeof result === 'object' && result !== null ? result : {}) as { passages?: unknown }
  return Array.isArray(passages) ? (passages as unknown[]).filter(isPassage) : []
}

function isPassage(value: unknown): value is FoundPassage {
  const { ref, passage, text } = (value ?? {}) as Partial<FoundPassage>
  return typeof ref === 'number' && typeof passage === 'number' && typeof text === 'string'
}

function toSource({ passage: _passage, text, ...source }: FoundPassage): Source {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return { ...source, excerpt: line.length <= EXCERPT ? line : `${line.slice(0, EXCERPT).toWellFormed()}…` }
}
