import { AgentError } from '@parley/protocol'
import { addPassages, dropPassages, type NewPassage } from '../relevance/passage-index.ts'
import type { Engine } from '../store/engine.ts'
import { runSql, type Work } from '../store/work.ts'

/** Passages of one transaction: on SQLite everybody else waits meanwhile. */
const PASSAGES_AT_ONCE = 20
/** Nobody writes on one version for so long: whoever began it is gone. */
const ABANDONED_MS = 60 * 60 * 1_000
const SWEPT_AT_ONCE = 20

/**
 * A document's passages are written under a version of their own, some at a time, and count only once the document names
 * that version: one update puts all of them in place of the old ones, whatever happens before or after.
 *
 *   begin ─▶ passages, some at a time ─▶ the document's row names it ─▶ older versions are removed, some at a time
 *     └──────────── crash: nobody's, removed after an hour
 */
export type Version = { ref: string; space: string; document_id: string }

export async function writeVersion(engine: Engine, version: Version, passages: readonly NewPassage[]): Promise<void> {
  const { ref, space, document_id } = version
  await engine.write(() =>
    runSql('INSERT INTO knowledge_versions (ref, space, document_id, at) VALUES (?, ?, ?, now_ms())', [
      ref,
      space,
      document_id,
    ]),
  )
  for (let from = 0; from < passages.length; from += PASSAGES_AT_ONCE) {
    const some = passages.slice(from, from + PASSAGES_AT_ONCE)
    await engine.write(() => addPassages(engine, { space, ref, passages: some }))
    await new Promise<void>((resolve) => engine.timers.soon(resolve))
  }
}

/** Part of the transaction that names it: somebody slower than an hour has lost its passages meanwhile. */
export function* demandVersion({ ref }: Version): Work<void> {
  const [known] = yield* runSql('SELECT 1 AS n FROM knowledge_versions WHERE ref = ?', [ref])
  if (!known) throw new AgentError('timeout', 'Writing this document took too long; try again.')
}

/** Removes all versions of a document but the one that it names. */
export async function dropOldVersions(engine: Engine, document_id: string): Promise<void> {
  const old = await engine.select<Version>(
    `SELECT v.ref, v.space, v.document_id FROM knowledge_versions v WHERE v.document_id = ?
      AND v.at < coalesce((SELECT n.at FROM knowledge_documents d JOIN knowledge_versions n ON n.ref = d.ref WHERE d.id = v.document_id), v.at + 1)`,
    [document_id],
  )
  for (const version of old) await dropVersion(engine, version)
}

/** What crashes and slow writers left. */
export async function sweepVersions(engine: Engine): Promise<void> {
  const nobodys = await engine.select<Version>(
    `SELECT v.ref, v.space, v.document_id FROM knowledge_versions v
      WHERE v.at < now_ms() - ? AND NOT EXISTS (SELECT 1 FROM knowledge_documents d WHERE d.ref = v.ref) LIMIT ?`,
    [ABANDONED_MS, SWEPT_AT_ONCE],
  )
  for (const version of nobodys) await dropVersion(engine, version)
}

async function dropVersion(engine: Engine, { ref, space }: Version): Promise<void> {
  const some = { space, ref, limit: PASSAGES_AT_ONCE }
  while ((await engine.write(() => dropPassages(engine, some))) > 0)
    await new Promise<void>((resolve) => engine.timers.soon(resolve))
  await engine.write(() => runSql('DELETE FROM knowledge_versions WHERE ref = ?', [ref]))
}
