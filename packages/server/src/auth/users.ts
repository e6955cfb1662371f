import type { Engine } from '../store/engine.ts'
import type { Identity } from '@parley/protocol'
import { runSql, type Work } from '../store/work.ts'

/** The owner's id. The first start creates them; of several servers that start at once, one does. */
export function* ensureOwner(id: string, created_at: string): Work<string> {
  const [known] = yield* findOwner()
  if (known) return known.id
  yield* runSql(
    `INSERT INTO users (id, username, display_name, is_owner, created_at) VALUES (?, 'owner', NULL, 1, ?)
      ON CONFLICT (username) DO NOTHING`,
    [id, created_at],
  )
  const [owner] = yield* findOwner()
  return owner!.id
}

export function* findIdentity(user_id: string): Work<Identity | undefined> {
  const [user] = yield* runSql<Identity>(
    'SELECT id, username, avatar_url, created_at, display_name FROM users WHERE id = ?',
    [user_id],
  )
  return user
}

function* findOwner(): Work<{ id: string }[]> {
  return yield* runSql<{ id: string }>('SELECT id FROM users WHERE is_owner = 1 ORDER BY created_at LIMIT 1', [])
}

export async function isOwner(engine: Engine, user_id: string): Promise<boolean> {
  const rows = await engine.select('SELECT id FROM users WHERE id = ? AND is_owner = 1', [user_id])
  return rows.length > 0
}
