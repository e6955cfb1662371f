import { createHash, randomUUID } from 'node:crypto'
import { lstat, mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { type Restored, SNAPSHOT_LIMITS, type SnapshotLimits, Snapshots } from '../../src/snapshots/snapshots.ts'
import type { Engine } from '../../src/store/engine.ts'
import { runSql } from '../../src/store/work.ts'
import { Workspaces } from '../../src/workspace/workspaces.ts'
import { newSession } from '../store/fixtures.ts'

// A session's workspace and its states, on real files and a real database. Knows no test runner.

export type SiteOptions = {
  /** Where workspaces are; default: a directory of its own. */
  dataDir?: string
  limits?: Partial<SnapshotLimits>
  /** How far the clock is ahead: files that were made just now are old then. */
  aheadMs?: number
  session_id?: string
}

export const never = new AbortController().signal

export class Site implements AsyncDisposable {
  readonly engine: Engine
  readonly snapshots: Snapshots
  readonly session_id: string
  readonly workspace: string
  readonly dataDir: string
  /** What was logged. */
  readonly lines: { msg: string; problem?: string }[] = []

  static async open(engine: Engine, options: SiteOptions = {}): Promise<Site> {
    const dataDir = options.dataDir ?? join(tmpdir(), `parley-snapshots-${randomUUID()}`)
    const session_id = options.session_id ?? (await newSession(engine))
    const site = new Site(engine, { ...options, dataDir, session_id })
    await mkdir(site.workspace, { recursive: true, mode: 0o700 })
    return site
  }

  constructor(
    engine: Engine,
    { dataDir, session_id, limits, aheadMs = 60_000 }: SiteOptions & { dataDir: string; session_id: string },
  ) {
    const workspaces = new Workspaces(dataDir)
    const write = (line: string) => void this.lines.push(JSON.parse(line) as { msg: string })
    this.engine = engine
    this.dataDir = dataDir
    this.session_id = session_id
    this.workspace = workspaces.directoryOf(session_id)
    this.snapshots = new Snapshots({
      ...{ engine, workspaces, logger: pino({}, { write }), limits: { ...SNAPSHOT_LIMITS, ...limits } },
      now: () => Date.now() + aheadMs,
    })
  }

  at(path: string): string {
    return join(this.workspace, path)
  }

  async put(files: Record<string, string | Buffer>): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(this.at(path)), { recursive: true })
      await writeFile(this.at(path), content)
    }
  }

  /** A message of the user, which gets this number. */
  async say(sequence: number, session_id = this.session_id): Promise<void> {
    await this.engine.write(() =>
      runSql(
        `INSERT INTO turns (session_id, sequence, turn_id, loop_id, status, projection) VALUES (?, ?, ?, 'root', 'completed', ?)`,
        [session_id, sequence, `turn_${randomUUID()}`, JSON.stringify({ kind: 'message', role: 'user' })],
      ),
    )
  }

  /** What everything that changes files does first. */
  change(): Promise<void> {
    return this.snapshots.beforeWrite(this.session_id)
  }

  restore(before: number): Promise<Restored> {
    return this.snapshots.restore(this.session_id, { before }, never)
  }

  /** Numbers of states, with what is wrong with them. */
  async states(): Promise<string[]> {
    const rows = await this.engine.select<{ sequence: number; name: string; problem: string | null }>(
      `SELECT sequence, name, problem FROM workspace_states WHERE session_id = ? ORDER BY sequence, name`,
      [this.session_id],
    )
    return rows.map(({ sequence, name, problem }) =>
      [sequence, name, problem].filter((part) => part !== '' && part !== null).join(' '),
    )
  }

  /** Files that contents are in. */
  async kept(): Promise<string[]> {
    return readdir(join(this.snapshots.directory, this.session_id)).catch(() => [])
  }

  look(): Promise<Record<string, string>> {
    return lookAt(this.workspace)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.dataDir, { recursive: true, force: true })
  }
}

/** What is long is told by its hash: nobody reads the difference. */
function inShort(content: Buffer): string {
  return content.length > 1_000 ? createHash('sha256').update(content).digest('hex') : content.toString('latin1')
}

/** Everything in a directory: its kind, mode and content. */
export async function lookAt(directory: string, above = ''): Promise<Record<string, string>> {
  const seen: Record<string, string> = {}
  for (const name of (await readdir(directory)).sort()) {
    const at = join(directory, name)
    const stats = await lstat(at)
    const mode = (stats.mode & 0o777).toString(8)
    if (stats.isSymbolicLink()) seen[above + name] = `-> ${await readlink(at)}`
    else if (stats.isDirectory()) {
      seen[`${above}${name}/`] = mode
      Object.assign(seen, await lookAt(at, `${above}${name}/`))
    } else if (stats.isFile()) seen[above + name] = `${mode} ${inShort(await readFile(at))}`
    else seen[above + name] = 'special'
  }
  return seen
}
