import { AgentError } from '@parley/protocol'
import { recordAudit } from '../store/audit.ts'
import { runSql, type Work } from '../store/work.ts'

export type ConfigRow = {
  id: number
  name: string
  provider: string
  base_url: string
  /** Sealed. */
  api_key: string
  /** JSON. */
  models: string
  is_active: number
  created_at: string
  updated_at: string
}

export type NewConfig = Omit<ConfigRow, 'id' | 'created_at' | 'updated_at'>

const MAX_CONFIGS = 200
const COLUMNS = 'id, name, provider, base_url, api_key, models, is_active, created_at, updated_at'
/** No database has more; PostgreSQL refuses to even look for a larger one. */
const MAX_ID = Number.MAX_SAFE_INTEGER

export type ConfigFilter = { is_active?: boolean | undefined; provider?: string | undefined }

export function* listConfigs(
  { is_active, provider }: ConfigFilter,
  { limit, offset }: { limit: number; offset: number },
): Work<{ total: number; rows: ConfigRow[] }> {
  const conditions = [
    ...(is_active === undefined ? [] : [{ sql: 'is_active = ?', value: is_active ? 1 : 0 }]),
    ...(provider === undefined ? [] : [{ sql: 'provider = ?', value: provider }]),
  ]
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`
  const values = conditions.map(({ value }) => value)
  const [count] = yield* runSql<{ n: number }>(`SELECT count(*) AS n FROM model_configs ${where}`, values)
  const rows = yield* runSql<ConfigRow>(`SELECT ${COLUMNS} FROM model_configs ${where} ORDER BY id LIMIT ? OFFSET ?`, [
    ...values,
    limit,
    offset,
  ])
  return { total: count?.n ?? 0, rows }
}

export function* findConfig(id: number): Work<ConfigRow | undefined> {
  if (!Number.isSafeInteger(id) || id < 1 || id > MAX_ID) return undefined
  const [row] = yield* runSql<ConfigRow>(`SELECT ${COLUMNS} FROM model_configs WHERE id = ?`, [id])
  return row
}

/** `undefined`: there is one of this name. */
export function* addConfig(config: NewConfig, at: string, actor: string): Work<ConfigRow | undefined> {
  const [count] = yield* runSql<{ n: number }>('SELECT count(*) AS n FROM model_configs', [])
  if ((count?.n ?? 0) >= MAX_CONFIGS)
    throw new AgentError('invalid_payload', `There are ${MAX_CONFIGS} model configurations already; delete one first.`)
  const { name, provider, base_url, api_key, models, is_active } = config
  const [row] = yield* runSql<ConfigRow>(
    `INSERT INTO model_configs (name, provider, base_url, api_key, models, is_active, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING RETURNING ${COLUMNS}`,
    [name, provider, base_url, api_key, models, is_active, at, at],
  )
  if (row) yield* recordAudit({ actor, action: 'model_config.create', subject: String(row.id) })
  return row
}

/** Changes the row that was read, and no other: `undefined` when somebody has changed it since. */
export function* changeConfig(
  { id, updated_at }: Pick<ConfigRow, 'id' | 'updated_at'>,
  changed: NewConfig & { updated_at: string },
  actor: string,
): Work<ConfigRow | undefined> {
  const { name, provider, base_url, api_key, models, is_active } = changed
  const [row] = yield* runSql<ConfigRow>(
    `UPDATE model_configs SET name = ?, provider = ?, base_url = ?, api_key = ?, models = ?, is_active = ?, updated_at = ?
      WHERE id = ? AND updated_at = ? RETURNING ${COLUMNS}`,
    [name, provider, base_url, api_key, models, is_active, changed.updated_at, id, updated_at],
  )
  if (row) yield* recordAudit({ actor, action: 'model_config.change', subject: String(id) })
  return row
}

/** Whether another one has this name. */
export function* isNameTaken(name: string, id: number): Work<boolean> {
  const rows = yield* runSql('SELECT id FROM model_configs WHERE name = ? AND id <> ?', [name, id])
  return rows.length > 0
}

export function* dropConfig(id: number, actor: string): Work<boolean> {
  if (!(yield* findConfig(id))) return false
  yield* runSql('DELETE FROM model_configs WHERE id = ?', [id])
  yield* recordAudit({ actor, action: 'model_config.delete', subject: String(id) })
  return true
}
