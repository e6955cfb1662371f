import { ROOT_LOOP, textOf, type TurnProjection } from '@parley/protocol'
import { hostOf, hostsInText } from '../../confirm/hosts-in-text.ts'
import type { TurnRow } from '../../store/append.ts'
import { isTurn } from '../../store/read-turn.ts'
import { readStored } from '../../store/stored-json.ts'
import { runSql, type Work } from '../../store/work.ts'
import type { StoredTurn } from '../../context/stored-turns.ts'

const SEARCH = 'WebSearch'
/** What users said before the last compaction still counts, as far back as this many of their messages. */
const ARCHIVED_MESSAGES = 200

/**
 * Which hosts a session's people, and the searches made for their last message, have named. Everything is read from
 * stored turns, so that whoever carries a run on knows the same. Pages, results of other tools, what a sub-agent was told
 * and turns that no run of ours wrote (imported ones) name none.
 */
export class NamedHosts {
  readonly #said = new Set<string>()
  readonly #found = new Set<string>()
  /** Read when somebody asks: most runs never do. */
  #unread: TurnProjection[]
  #run_id: string | null = null

  /** Oldest first. */
  constructor(turns: readonly TurnProjection[]) {
    this.#unread = [...turns]
  }

  /** Turns that were stored just now. */
  add(rows: readonly Pick<TurnRow, 'projection'>[]): void {
    for (const { projection } of rows)
      if (mayName(projection)) this.#unread.push(JSON.parse(projection) as TurnProjection)
  }

  has(url: string): boolean {
    for (const turn of this.#unread.splice(0)) this.#read(turn)
    const host = hostOf(url)
    return host !== undefined && (this.#said.has(host) || this.#found.has(host))
  }

  #read(turn: TurnProjection): void {
    if (turn.run_id === null || turn.kind !== 'message') return
    if (turn.role === 'assistant') return this.#readSearches(turn)
    if (turn.role !== 'user' || turn.loop_id !== ROOT_LOOP) return
    // What was found for an earlier message is not for this one; an answer, or something added, goes on with the same.
    if (beginsTask(turn, this.#run_id)) this.#found.clear()
    this.#run_id = turn.run_id
    for (const text of wordsOf(turn)) for (const host of hostsInText(text)) this.#said.add(host)
  }

  /** The address of each hit, and nothing that its page says about itself. */
  #readSearches({ tool_calls }: TurnProjection): void {
    for (const { tool_name, status, result } of tool_calls) {
      if (tool_name !== SEARCH || status !== 'done') continue
      const { results } = (result ?? {}) as { results?: { link?: unknown }[] }
      for (const hit of Array.isArray(results) ? results : []) {
        const host = typeof hit?.link === 'string' ? hostOf(hit.link) : undefined
        if (host !== undefined) this.#found.add(host)
      }
    }
  }
}

/** `turns` are those of the main agent. What sub-agents have found since the last message is read as well. */
export function* loadNamedHosts(session_id: string, turns: readonly StoredTurn[]): Work<NamedHosts> {
  const mine = turns.map(({ turn }) => turn)
  let began = 0
  let run_id: string | null = null
  for (const turn of mine) {
    if (turn.role !== 'user' || turn.loop_id !== ROOT_LOOP) continue
    if (beginsTask(turn, run_id)) began = turn.sequence
    run_id = turn.run_id
  }
  const rows = yield* runSql<{ projection: string }>(
    `SELECT projection FROM turns WHERE session_id = ? AND deprecated = 0 AND sequence > ? AND loop_id <> ? AND projection LIKE '%"${SEARCH}"%'`,
    [session_id, began, ROOT_LOOP],
  )
  const archived = yield* runSql<{ projection: string }>(
    `SELECT projection FROM turns WHERE session_id = ? AND deprecated = 0 AND loop_id = ? AND sequence < ? AND projection LIKE '%"role":"user"%'
      ORDER BY sequence DESC LIMIT ?`,
    [session_id, ROOT_LOOP, mine[0]?.sequence ?? 0, ARCHIVED_MESSAGES],
  )
  rows.push(...archived)
  // One that cannot be read names nothing.
  const theirs = rows.flatMap(({ projection }) => readStored(projection) ?? []).filter(isTurn)
  const others = new Set(theirs.map(({ turn_id }) => turn_id))
  const all = [...mine.filter(({ turn_id }) => !others.has(turn_id)), ...theirs]
  return new NamedHosts(all.sort((a, b) => a.sequence - b.sequence))
}

/** An ordinary message that began a run, not one added to a run under way. */
function beginsTask({ blocks, run_id }: TurnProjection, before: string | null): boolean {
  return run_id !== before && !blocks.some(({ type }) => type === 'ask_user_answer')
}

/** What the user wrote. The options of a question are the model's words, chosen or not. */
function wordsOf(turn: TurnProjection): string[] {
  const answers = turn.blocks.flatMap((block) =>
    block.type === 'ask_user_answer' ? [...Object.values(block.content.custom), block.content.message ?? ''] : [],
  )
  return [textOf(turn), ...answers]
}

/** Spares most turns of a run a second look. */
function mayName(projection: string): boolean {
  return projection.includes('"role":"user"') || projection.includes(`"${SEARCH}"`)
}
