import { ROOT_LOOP } from '@parley/protocol'
import { type StoredTurn, storedTurn } from '../context/stored-turns.ts'
import { contextBegins } from '../store/compaction-rows.ts'
import type { Engine } from '../store/engine.ts'
import type { Journal } from '../store/journal.ts'

/** Turns that are part of what models get of a session now, oldest first: those since its last compaction. */
export async function readContext(
  { engine, journal }: { engine: Engine; journal: Journal },
  session_id: string,
): Promise<StoredTurn[]> {
  const from = await engine.read(() => contextBegins(session_id, ROOT_LOOP))
  const rows = await journal.turns(session_id, { after: from - 1 })
  return rows.map(storedTurn).filter(({ turn }) => !turn.archived)
}
