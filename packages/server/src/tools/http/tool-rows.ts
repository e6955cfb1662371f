import { AgentError } from '@parley/protocol'
import { recordAudit } from '../../store/audit.ts'
import { databaseNow } from '../../store/database-now.ts'
import { runSql, type Work } from '../../store/work.ts'

export type ToolRow = { name: string; definition: string; secret: string; created_at: number; updated_at: number }

/** As many as one MCP server may offer. */
const MAX_TOOLS = 256
const COLUMNS = 'name, definition, secret, created_at, updated_at'

export function* listTools(): Work<ToolRow[]> {
  return yield* runSql<ToolRow>(`SELECT ${COLUMNS} FROM http_tools ORDER BY name`, [])
}

export function* findTool(name: string): Work<ToolRow | undefined> {
  const [row] = yield* runSql<ToolRow>(`SELECT ${COLUMNS} FROM http_tools WHERE name = ?`, [name])
  return row
}

type Written = Pick<ToolRow, 'name' | 'definition'>

/** `undefined`: there is one of this name. */
export function* addTool(
  { name, definition, secret }: Written & { secret: string },
  actor: string,
): Work<ToolRow | undefined> {
  const [count] = yield* runSql<{ n: number }>('SELECT count(*) AS n FROM http_tools', [])
  if ((count?.n ?? 0) >= MAX_TOOLS)
    throw new AgentError('invalid_payload', `There are ${MAX_TOOLS} HTTP tools already; delete one first.`)
  const now = yield* databaseNow()
  const [row] = yield* runSql<ToolRow>(
    `INSERT INTO http_tools (${COLUMNS}) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING RETURNING ${COLUMNS}`,
    [name, definition, secret, now, now],
  )
  if (row) yield* recordAudit({ actor, action: 'http_tool.create', subject: name })
  return row
}

/** Without a secret it keeps the one it has. `undefined`: there is none of this name. */
export function* changeTool(
  { name, definition, secret }: Written & { secret: string | undefined },
  actor: string,
): Work<ToolRow | undefined> {
  const [row] = yield* runSql<ToolRow>(
    `UPDATE http_tools SET definition = ?, secret = coalesce(?, secret), updated_at = now_ms() WHERE name = ? RETURNING ${COLUMNS}`,
    [definition, secret ?? null, name],
  )
  const detail = secret === undefined ? '' : 'with a new secret'
  if (row) yield* recordAudit({ actor, action: 'http_tool.change', subject: name, detail })
  return row
}

export function* dropTool(name: string, actor: string): Work<boolean> {
  const rows = yield* runSql('DELETE FROM http_tools WHERE name = ? RETURNING name', [name])
  if (rows.length > 0) yield* recordAudit({ actor, action: 'http_tool.delete', subject: name })
  return rows.length > 0
}
