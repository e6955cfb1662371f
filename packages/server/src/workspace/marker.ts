import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../store/engine.ts'
import { runSql, type Work } from '../store/work.ts'

const FILE = '.parley-deployment'
const KEY = 'deployment_id'

export type MarkerOptions = {
  engine: Engine
  /** Where the workspaces of all sessions are. */
  directory: string
  randomUUID: () => string
}

/** Whether this directory is the one that all instances of this deployment share. If not, claim nothing. */
export type MarkerState = { isShared: true } | { isShared: false; message: string }

export type WorkspaceMarker = {
  deployment_id: string
  /** Looks again; one small read. A volume may be mounted late, or lost. */
  check(): Promise<MarkerState>
}

/**
 * The first start gives the deployment an id, kept in the database, and writes it into the workspaces' directory. An
 * instance whose directory does not say the same id would work on files that the others do not have.
 */
export async function workspaceMarker({ engine, directory, randomUUID }: MarkerOptions): Promise<WorkspaceMarker> {
  const fresh = randomUUID()
  const file = join(directory, FILE)
  const there = await read(file)
  const deployment_id = await engine.write(() => idInDatabase(fresh))
  const isFirst = deployment_id === fresh
  // One server per data directory, its workspaces beside its database: nobody else could have the marker.
  const isAlone = engine.kind === 'sqlite'
  if (there === undefined && (isFirst || isAlone)) await place(directory, file, deployment_id)
  return {
    deployment_id,
    check: async () => stateOf(await read(file), deployment_id, file),
  }
}

function* idInDatabase(fresh: string): Work<string> {
  yield* runSql('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING', [KEY, fresh])
  const [row] = yield* runSql<{ value: string }>('SELECT value FROM meta WHERE key = ?', [KEY])
  return row!.value
}

async function place(directory: string, file: string, deployment_id: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  try {
    await using marker = await open(file, 'wx', 0o600)
    await marker.writeFile(`${deployment_id}\n`)
    await marker.sync()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function stateOf(found: string | undefined, deployment_id: string, file: string): MarkerState {
  if (found === deployment_id) return { isShared: true }
  const problem =
    found === undefined
      ? `${file} is missing: this does not look like the volume that the other instances share.`
      : `${file} names another deployment.`
  return {
    isShared: false,
    message: `${problem} No runs are taken on. Mount the deployment's volume there; if this is it, write ${deployment_id} into that file.`,
  }
}

async function read(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ESTALE', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
