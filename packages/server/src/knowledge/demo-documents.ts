import type { Knowledge } from './knowledge.ts'
import { runSql } from '../store/work.ts'
import type { Engine } from '../store/engine.ts'
import { DEMO_CONTENT } from './demo-content.ts'

/** What the demo model answers from, with its source. */
const COLLECTION = 'parley-demo'

/** With the demo model there is something to find from the first start on; with a real one it is gone. */
export async function keepDemoDocuments(engine: Engine, knowledge: Knowledge, isDemo: boolean): Promise<void> {
  const [owner] = await engine.select<{ id: string }>('SELECT id FROM users WHERE is_owner = 1 ORDER BY created_at', [])
  if (!owner) return
  const { items } = await knowledge.list(owner.id, { collection: COLLECTION, limit: 50 })
  if (!isDemo) {
    for (const { id } of items) await knowledge.delete(owner.id, id)
    if (items.length > 0)
      await engine.write(() =>
        runSql('DELETE FROM knowledge_collections WHERE account_id = ? AND name = ?', [owner.id, COLLECTION]),
      )
    return
  }
  for (const { title, content } of DEMO_CONTENT)
    if (!items.some((known) => known.title === title))
      await knowledge.add(owner.id, { category: 'demo', title, content, collection: COLLECTION })
}
