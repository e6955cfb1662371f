import { recordAudit } from '../store/audit.ts'
import type { Engine } from '../store/engine.ts'
import { run, runSql, type Work } from '../store/work.ts'

/** Unused versions that are kept of an agent, the newest first; those that a session began with are kept in any case. */
const KEPT_VERSIONS = 50

export type AgentRow = { name: string; digest: string; changed_at: number }

/**
 * When a folder's version becomes the one that new sessions get. `changed`: it differs from what was loaded last from this
 * place, so somebody has edited or reverted it. `unchanged`: it was here before, and whatever was chosen since stays. `unknown`:
 * nothing tells, so only what nobody has seen before counts, or an old instance that restarts would roll everybody back.
 */
export type Standing = 'changed' | 'unchanged' | 'unknown'

export type NewVersion = { name: string; digest: string; files: string; standing: Standing }

/** Stores a version once, and says whether it is now the current one because of this. */
export function* storeVersion({ name, digest, files, standing }: NewVersion): Work<{ isCurrent: boolean }> {
  const [stored] = yield* runSql<{ digest: string }>(
    `INSERT INTO agent_versions (name, digest, created_at, files) VALUES (?, ?, now_ms(), ?)
      ON CONFLICT (name, digest) DO NOTHING RETURNING digest`,
    [name, digest, files],
  )
  const [agent] = yield* runSql<{ digest: string | null }>('SELECT digest FROM agents WHERE name = ?', [name])
  const counts = standing === 'changed' || !agent || (standing === 'unknown' && stored !== undefined)
  if (!counts || agent?.digest === digest) return { isCurrent: agent?.digest === digest }
  yield* setCurrent(name, digest)
  yield* recordAudit({ actor: 'system', action: 'agent.load', subject: name, detail: digest })
  yield* dropUnused(name, digest)
  return { isCurrent: true }
}

/** One that comes with the server: it is nobody's choice, so nothing becomes current. */
export function* keepVersion({ name, digest, files }: Omit<NewVersion, 'standing'>): Work<void> {
  yield* runSql(
    `INSERT INTO agent_versions (name, digest, created_at, files) VALUES (?, ?, now_ms(), ?)
      ON CONFLICT (name, digest) DO NOTHING`,
    [name, digest, files],
  )
}

/** For one that was stored under another secret, or that somebody has changed: whoever has the folder puts it right. */
export function* replaceFiles(name: string, digest: string, files: string): Work<void> {
  yield* runSql('UPDATE agent_versions SET files = ? WHERE name = ? AND digest = ?', [files, name, digest])
}

/** `undefined`: there is no such version. */
export function* findFiles(name: string, digest: string): Work<string | undefined> {
  const [row] = yield* runSql<{ files: string }>('SELECT files FROM agent_versions WHERE name = ? AND digest = ?', [
    name,
    digest,
  ])
  return row?.files
}

/** `actor` chooses a version that is stored; `false` when it is not. */
export function* useVersion(name: string, digest: string, actor: string): Work<boolean> {
  const [row] = yield* runSql('SELECT digest FROM agent_versions WHERE name = ? AND digest = ?', [name, digest])
  if (!row) return false
  yield* setCurrent(name, digest)
  yield* recordAudit({ actor, action: 'agent.use', subject: name, detail: digest })
  return true
}

/** Its folder is gone: new sessions cannot have it any more; `false` when that was so before. */
export function* removeAgent(name: string): Work<boolean> {
  const rows = yield* runSql(
    'UPDATE agents SET digest = NULL, changed_at = now_ms() WHERE name = ? AND digest IS NOT NULL RETURNING name',
    [name],
  )
  if (rows.length > 0) yield* recordAudit({ actor: 'system', action: 'agent.remove', subject: name })
  return rows.length > 0
}

/** Without those whose folder is gone. */
export function* currentAgents(): Work<AgentRow[]> {
  return yield* runSql<AgentRow>(
    'SELECT name, digest, changed_at FROM agents WHERE digest IS NOT NULL ORDER BY name',
    [],
  )
}

/** The version that new sessions get. */
export function* findCurrent(name: string): Work<string | null> {
  const [row] = yield* runSql<{ digest: string | null }>('SELECT digest FROM agents WHERE name = ?', [name])
  return row?.digest ?? null
}

/** The same in a transaction, until whose end it stays current, and stored. */
export function* holdCurrent(engine: Engine, name: string): Work<string | null> {
  const query = engine.db.selectFrom('agents').select('digest').where('name', '=', name)
  // On SQLite whoever writes is alone.
  const [row] = yield* run(engine.kind === 'postgres' ? query.forShare() : query)
  return row?.digest ?? null
}

export type VersionUse = { name: string; digest: string; created_at: number; sessions: number }

export function* versionsInUse(): Work<VersionUse[]> {
  return yield* runSql<VersionUse>(
    `SELECT v.name, v.digest, v.created_at, (SELECT count(*) FROM sessions s WHERE s.agent = v.name AND s.agent_digest = v.digest) AS sessions
      FROM agent_versions v ORDER BY v.created_at DESC, v.digest`,
    [],
  )
}

export function* storedDigests(): Work<string[]> {
  return (yield* runSql<{ digest: string }>('SELECT digest FROM agent_versions', [])).map(({ digest }) => digest)
}

function* setCurrent(name: string, digest: string): Work<void> {
  yield* runSql(
    `INSERT INTO agents (name, digest, changed_at) VALUES (?, ?, now_ms())
      ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, changed_at = excluded.changed_at`,
    [name, digest],
  )
}

/** Behind `setCurrent`, whose row holds off sessions that are just beginning with what was current. */
function* dropUnused(name: string, current: string): Work<void> {
  yield* runSql(
    `DELETE FROM agent_versions WHERE name = ? AND digest <> ?
      AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.agent = agent_versions.name AND s.agent_digest = agent_versions.digest)
      AND digest NOT IN (SELECT digest FROM agent_versions WHERE name = ? ORDER BY created_at DESC, digest LIMIT ${KEPT_VERSIONS})`,
    [name, current, name],
  )
}
