import { parseBoundedJson } from '@parley/protocol/wire'
import type { z } from 'zod'
import type { Ids } from '../ports.ts'
import {
  type ExportedSession,
  exportedSessionSchema,
  FORMAT_VERSION,
  HISTORY,
  MANIFEST,
  manifestSchema,
  SESSION,
  TURNS,
  WORKSPACE,
} from './archive-format.ts'
import { type ImportedTurn, ImportedTurnsReader } from './imported-turns.ts'
import { type Archive, type ArchiveEntry, refusal } from './open-archive.ts'

const DOCUMENT_BYTES = 1024 * 1024
/** All of it is stored in one transaction, which nobody else waits long for. */
const TURNS_BYTES = 32 * 1024 * 1024
const LINE_BYTES = 8 * 1024 * 1024
const MAX_TOLD = 20

export type Contents = {
  format_version: number
  session: ExportedSession
  turns: ImportedTurn[]
  /** Files and directories of the workspace, by their paths there. */
  workspace: { path: string; entry: ArchiveEntry }[]
  /** What an import leaves out. */
  warnings: string[]
}

/** What an archive says, checked; what is new here gets new ids. */
export async function readContents(archive: Archive, ids: Ids): Promise<Contents> {
  const manifest = await readDocument(archive, MANIFEST, manifestSchema)
  if (manifest.version > FORMAT_VERSION)
    throw refusal(`${MANIFEST}: version ${manifest.version} is newer than this server, which reads ${FORMAT_VERSION}.`)
  const session = await readDocument(archive, SESSION, exportedSessionSchema)
  const reader = new ImportedTurnsReader(ids)
  for await (const line of linesOf(archive, TURNS)) reader.add(line)
  const { turns, warnings: ofTurns } = reader.end()
  const workspace = archive.entries
    .filter(({ name }) => name.startsWith(WORKSPACE) && name !== WORKSPACE)
    .map((entry) => ({ path: entry.name.slice(WORKSPACE.length).replace(/\/$/, ''), entry }))
  const warnings = [...otherFiles(archive), ...variables(session), ...ofTurns]
  return { format_version: manifest.version, session, turns, workspace, warnings }
}

async function readDocument<Schema extends z.ZodType>(
  archive: Archive,
  name: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of archive.read(name)) {
    bytes += chunk.length
    if (bytes > DOCUMENT_BYTES) throw refusal(`${name} has more than ${DOCUMENT_BYTES} bytes.`)
    chunks.push(chunk)
  }
  const read = schema.safeParse(parseBoundedJson(Buffer.concat(chunks).toString()))
  if (read.success) return read.data
  const [problem] = read.error.issues
  throw refusal(`${name}: ${[...(problem?.path ?? []), problem?.message].join(' ')}`)
}

async function* linesOf(archive: Archive, name: string): AsyncGenerator<string> {
  let rest: Buffer[] = []
  let held = 0
  let bytes = 0
  for await (const chunk of archive.read(name)) {
    bytes += chunk.length
    if (bytes > TURNS_BYTES) throw refusal(`${name} has more than ${TURNS_BYTES} bytes.`)
    let from = 0
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, at)]).toString()
      rest = []
      held = 0
      from = at + 1
    }
    rest.push(chunk.subarray(from))
    held += chunk.length - from
    if (held > LINE_BYTES) throw refusal(`${name} has a line of more than ${LINE_BYTES} bytes.`)
  }
  if (held > 0) yield Buffer.concat(rest).toString()
}

function otherFiles({ entries }: Archive): string[] {
  const known = [MANIFEST, SESSION, TURNS, HISTORY]
  return entries
    .filter(({ name }) => !known.includes(name) && !name.startsWith(WORKSPACE))
    .slice(0, MAX_TOLD)
    .map(({ name }) => `${JSON.stringify(name)} is not imported.`)
}

function variables({ session_setup }: ExportedSession): string[] {
  const names = session_setup?.env_keys ?? []
  return names.length === 0
    ? []
    : [`The values of these variables are not in the archive: ${names.slice(0, MAX_TOLD).join(', ')}.`]
}
