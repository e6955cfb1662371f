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
 *   begin ─▶ passages, some at a time ─▶ the document's row names it ─▶ the one that it named before is removed, some at a time
 *     └──────────── crash: nobody's, removed after an hour
 */
export type Version = { ref: string; space: string; document_id: string }

/** A megabyte of text has some three thousand; one of nothing but headings could have a hundred times as many. */
const MAX_PASSAGES = 10_000

/** Says how many there were. */
export async function writeVersion(engine: Engine, version: Version, passages: Iterable<NewPassage>): Promise<number> {
  const { ref, space, document_id } = version
  await engine.write(() =>
    runSql('INSERT INTO knowledge_versions (ref, space, document_id, at) VALUES (?, ?, ?, now_ms())', [
      ref,
      space,
      document_id,
    ]),
  )
  let written = 0
  for (const some of inGroups(passages, PASSAGES_AT_ONCE)) {
    await engine.write(function* () {
      // One that was removed meanwhile must not be left half: nobody would ever look for the rest.
      yield* demandVersion(version)
      yield* addPassages(engine, { space, ref, passages: some })
    })
    written += some.length
    if (written > MAX_PASSAGES)
      throw new AgentError(
        'payload_too_large',
        `A document has at most ${MAX_PASSAGES} passages; split it into several.`,
      )
    await new Promise<void>((resolve) => engine.timers.soon(resolve))
  }
  return written
}

function* inGroups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = []
  for (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** Whoever removes it waits until this transaction is over, or is waited for. */
export function* demandVersion({ ref }: Version): Work<void> {
  const [known] = yield* runSql('UPDATE knowledge_versions SET at = now_ms() WHERE ref = ? RETURNING ref', [ref])
  if (!known) throw new AgentError('timeout', 'The document was deleted meanwhile, or writing it took too long.')
}

/** Of a document that is gone: also what is being written for it. */
export async function dropVersions(engine: Engine, document_id: string): Promise<void> {
  const all = await engine.select<Version>(
    `SELECT ref, space, document_id FROM knowledge_versions WHERE document_id = ?`,
    [document_id],
  )
  for (const version of all) await dropVersion(engine, version)
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

/** Nothing happens to one that a document names. */
export async function dropVersion(engine: Engine, { ref, space }: Omit<Version, 'document_id'>): Promise<void> {
  const dropSome = () =>
    engine.write(function* () {
      yield* runSql('UPDATE knowledge_versions SET at = at WHERE ref = ?', [ref])
      const [named] = yield* runSql('SELECT 1 AS n FROM knowledge_documents WHERE ref = ?', [ref])
      if (named) return false
      if ((yield* dropPassages(engine, { space, ref, limit: PASSAGES_AT_ONCE })) > 0) return true
      // With the last look, so that nobody adds passages in between.
      yield* runSql('DELETE FROM knowledge_versions WHERE ref = ?', [ref])
      return false
    })
  while (await dropSome()) await new Promise<void>((resolve) => engine.timers.soon(resolve))
}
