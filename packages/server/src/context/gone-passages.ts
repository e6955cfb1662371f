import type { ToolCallProjection } from '@parley/protocol'
import type { UserPart } from '../ports.ts'
import type { Engine } from '../store/engine.ts'
import { runSql, type Work } from '../store/work.ts'
import { passagesIn } from './known-sources.ts'
import type { StoredTurn } from './stored-turns.ts'

const GONE = '(This passage is no longer in the knowledge base.)'

/**
 * A document that was deleted, or says something else now, is not told on by what was found in it before: a follow-up in
 * the same session gets the conversation without those passages.
 */
export function* withoutGone(engine: Engine, turns: StoredTurn[]): Work<StoredTurn[]> {
  const ids = turns.flatMap(({ turn, said }) => [...idsIn(said), ...turn.tool_calls.flatMap(idsOf)])
  if (ids.length === 0) return turns
  const list =
    engine.kind === 'sqlite'
      ? 'SELECT value FROM json_each(?)'
      : 'SELECT v::bigint FROM json_array_elements_text(?::json) AS v'
  const rows = yield* runSql<{ id: number }>(
    `SELECT p.id FROM passages p JOIN knowledge_documents d ON d.ref = p.ref WHERE p.id IN (${list})`,
    [JSON.stringify(ids)],
  )
  const there = new Set(rows.map(({ id }) => id))
  return ids.every((id) => there.has(id)) ? turns : turns.map((stored) => without(stored, there))
}

function without({ turn, said, parts }: StoredTurn, there: ReadonlySet<number>): StoredTurn {
  const tool_calls = turn.tool_calls.map((call) => (idsOf(call).every((id) => there.has(id)) ? call : cut(call, there)))
  return {
    turn: { ...turn, tool_calls },
    parts,
    ...(said !== undefined && {
      said: said && said.map((part) => (isThere(part, there) ? part : { ...part, text: GONE })),
    }),
  }
}

function isThere(part: UserPart, there: ReadonlySet<number>): boolean {
  return idsIn([part]).every((id) => there.has(id))
}

function cut(call: ToolCallProjection, there: ReadonlySet<number>): ToolCallProjection {
  const passages = passagesIn(call.result).filter(({ passage }) => there.has(passage))
  return { ...call, result: { passages, note: GONE } }
}

function idsIn(said: readonly UserPart[] | null | undefined): number[] {
  return (said ?? []).flatMap((part) => {
    const { by, passage = null } = (part.type === 'text' && part.recalled) || {}
    return by === 'knowledge' && passage !== null ? [passage] : []
  })
}

function idsOf({ tool_name, result }: ToolCallProjection): number[] {
  return tool_name === 'SearchKnowledge' ? passagesIn(result).map(({ passage }) => passage) : []
}
