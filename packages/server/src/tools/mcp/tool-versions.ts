import { createHash } from 'node:crypto'
import { AgentError } from '@parley/protocol'
import type { JsonObject, JsonValue } from '../../ports.ts'
import { recordAudit } from '../../store/audit.ts'
import type { Engine } from '../../store/engine.ts'
import { readStored } from '../../store/stored-json.ts'
import { runSql, type Work } from '../../store/work.ts'

/** What a model is told of a tool, and what we are told of its danger: what a server could change to mislead either. */
export type ToolVersion = {
  description: string
  input: JsonObject
  /** Only what it claims: a tool that says nothing has none. */
  hints?: { readOnly?: true; destructive?: true }
}

/** The version that counts: the first one used, or the last one agreed to. */
export type PinnedVersion = ToolVersion & { digest: string }

type Row = { name: string; digest: string; definition: string }

export function versionDigest({ description, input, hints }: ToolVersion): string {
  const version = { description, input, ...(hints && { hints }) }
  return createHash('sha256').update(canonicalJson(version)).digest('hex')
}

/** Which versions of foreign tools this deployment agreed to; every instance sees the same. */
export class ToolVersions {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async load(): Promise<Map<string, PinnedVersion>> {
    const rows = await this.#engine.select<Row>('SELECT name, digest, definition FROM tool_versions', [])
    return new Map(rows.map((row) => [row.name, pinnedOf(row)]))
  }

  /** The version that counts, this one from now on if there was none. */
  async pin(name: string, version: ToolVersion): Promise<PinnedVersion> {
    const [known] = await this.#engine.select<Row>(
      'SELECT name, digest, definition FROM tool_versions WHERE name = ?',
      [name],
    )
    if (known) return pinnedOf(known)
    return this.#engine.write(() => pinFirst(name, version))
  }

  async approve(name: string, version: ToolVersion, user_id: string): Promise<PinnedVersion> {
    const digest = versionDigest(version)
    return this.#engine.write(function* (): Work<PinnedVersion> {
      yield* runSql(
        `INSERT INTO tool_versions (name, digest, definition, approved_by, approved_at) VALUES (?, ?, ?, ?, now_ms())
         ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, definition = excluded.definition,
           approved_by = excluded.approved_by, approved_at = excluded.approved_at`,
        [name, digest, definitionOf(version), user_id],
      )
      yield* recordAudit({ actor: user_id, action: 'tool.approve', subject: name, detail: digest })
      return { ...version, digest }
    })
  }
}

function* pinFirst(name: string, version: ToolVersion): Work<PinnedVersion> {
  yield* runSql(
    `INSERT INTO tool_versions (name, digest, definition, approved_by, approved_at) VALUES (?, ?, ?, NULL, now_ms())
     ON CONFLICT (name) DO NOTHING`,
    [name, versionDigest(version), definitionOf(version)],
  )
  const [row] = yield* runSql<Row>('SELECT name, digest, definition FROM tool_versions WHERE name = ?', [name])
  if (!row) throw new AgentError('internal_error', `The version of ${name} could not be stored.`)
  return pinnedOf(row)
}

function definitionOf({ description, input, hints }: ToolVersion): string {
  return JSON.stringify({ description, input, hints })
}

function pinnedOf({ digest, definition }: Row): PinnedVersion {
  // What was agreed to is the digest; without its words there is only less to show.
  return { description: '', input: {}, ...(readStored(definition) as ToolVersion | undefined), digest }
}

/** The same text for the same value, in whatever order a server writes its keys. */
function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`
}
