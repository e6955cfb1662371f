import { constants } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { isAgentError, type Session } from '@parley/protocol'
import type { CreateSession, ImportedSession, ImportPreview } from '@parley/protocol/rest'
import type { Principal } from '../auth/principal.ts'
import type { SessionReader, World } from '../feature.ts'
import { speakingOf } from '../workspace/files/file-errors.ts'
import { holdDirectory, holdEntry } from '../workspace/files/hold.ts'
import type { ExportedSession } from './archive-format.ts'
import { storeTurns } from './imported-rows.ts'
import { openArchive } from './open-archive.ts'
import { type Contents, readContents } from './read-contents.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants

export type Importing = Pick<World, 'engine' | 'journal' | 'ids' | 'clock'> & { sessions: SessionReader }

/** What an import of the archive would make. Everything is unpacked once, into nothing, so that a damaged file is known. */
export async function previewImport(path: string, { ids }: Pick<World, 'ids'>): Promise<ImportPreview> {
  using archive = await openArchive(path)
  const { session, turns, workspace, ...contents } = await readContents(archive, ids)
  const files = workspace.filter(({ entry }) => !entry.isDirectory)
  for (const { entry } of files) for await (const _chunk of archive.read(entry.name));
  return {
    intent: session.intent,
    turn_count: turns.length,
    file_count: files.length,
    size_bytes: archive.bytes,
    format_version: contents.format_version,
    solution_id: session.solution_id ?? null,
    warnings: contents.warnings,
  }
}

export type ImportOrder = {
  principal: Principal
  /** Of the session that is made; nobody has it yet. */
  session_id: string
  /** Its directory, with nothing in it but the archive. */
  workspace: string
  /** Where the archive lies. It is gone afterwards. */
  archive: string
  /** A title; `''`: the archive's own. */
  name: string
  /** A solution; `''`: the archive's own, if it is here. */
  solution_id: string
}

/**
 * Makes a session of an archive. Files first: a directory without a session is nobody's, and is cleaned away. Then all rows in
 * one transaction. So whatever happens in between, there is a whole session or none.
 */
export async function importSession(order: ImportOrder, importing: Importing): Promise<ImportedSession> {
  const contents = await unpack(order, importing)
  await unlink(order.archive)
  const warnings = [...contents.warnings]
  await createOf(contents, { order, importing, warnings })
  const session: Session = await importing.sessions.get(order.principal, order.session_id)
  return { session_id: session.id, ...session, warnings }
}

async function unpack({ workspace, archive: path }: ImportOrder, { ids }: Importing): Promise<Contents> {
  using archive = await openArchive(path)
  const contents = await readContents(archive, ids)
  for (const { path: place, entry } of contents.workspace)
    await speakingOf(place, async () => {
      if (entry.isDirectory) await (await holdDirectory(workspace, place, { make: true }))[Symbol.asyncDispose]()
      else await putFile(workspace, place, archive.read(entry.name))
    })
  return contents
}

async function putFile(workspace: string, place: string, chunks: AsyncIterable<Buffer>): Promise<void> {
  await using entry = await holdEntry(workspace, place, { make: true })
  await using file = await open(entry.at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
  for await (const chunk of chunks) await file.writeFile(chunk)
  await entry.directory.giveToOwner(file)
  await file.datasync()
}

type Creation = { order: ImportOrder; importing: Importing; warnings: string[] }

/** What this server does not have is left out, and said. */
async function createOf({ session, turns }: Contents, { order, importing, warnings }: Creation): Promise<void> {
  const { principal, session_id } = order
  const { engine, journal, clock, sessions } = importing
  const wanted = wantedOf(session, order)
  const rows = () => storeTurns({ session_id, user_id: principal.user_id, turns }, { engine, journal, clock })
  for (;;)
    try {
      await sessions.create(principal, wanted, { session_id, rows })
      return
    } catch (error) {
      const lacking = LACKING.find(({ field, isIt }) => wanted[field] && isIt(error))
      // What the request itself names must be here.
      if (!lacking || (lacking.field === 'solution_id' && order.solution_id !== '')) throw error
      warnings.push(`${lacking.field}: ${wanted[lacking.field]} is not available here.`)
      wanted[lacking.field] = null
      if (lacking.field === 'solution_id') wanted.biz_role_id = null
    }
}

const isAbout = (field: string) => (error: unknown) =>
  isAgentError(error, 'invalid_payload') && error.message.startsWith(`${field}: `)

const LACKING = [
  { field: 'model', isIt: (error: unknown) => isAgentError(error, 'model_not_available') },
  { field: 'agent', isIt: (error: unknown) => isAgentError(error, 'agent_not_available') },
  { field: 'biz_role_id', isIt: isAbout('biz_role_id') },
  { field: 'solution_id', isIt: isAbout('solution_id') },
] as const

function wantedOf(
  { intent, model, agent, solution_id, biz_role_id, memory_enabled, is_persistent }: ExportedSession,
  { name, solution_id: named }: Pick<ImportOrder, 'name' | 'solution_id'>,
): CreateSession {
  const solution = named || solution_id || null
  return {
    ...{ intent: name || intent, model: model ?? null, memory_enabled, is_persistent },
    ...(solution === null
      ? { agent: agent?.name ?? null }
      : { solution_id: solution, biz_role_id: solution === solution_id ? (biz_role_id ?? null) : null }),
  }
}
