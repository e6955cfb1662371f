import { constants } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { posix } from 'node:path'
import type { Readable } from 'node:stream'
import type { Multipart } from '@fastify/multipart'
import { AgentError, isAgentError } from '@parley/protocol'
import { parseBoundedJson } from '@parley/protocol/wire'
import { z } from 'zod'
import { speakingOf } from './files/file-errors.ts'
import { type HeldDirectory, makeDirectory } from './files/held-directory.ts'
import { holdDirectory, holdEntry } from './files/hold.ts'
import { demandRegular } from './files/open-file.ts'
import { existing } from './files/replace-file.ts'
import { temporaryName } from './files/temporary-name.ts'
import { removeTree } from './remove-tree.ts'
import { demandRelative } from './tail.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants

export type UploadLimits = {
  /** Default 50 MiB. */
  fileBytes: number
  /** All files of a request together; default 200 MiB. */
  requestBytes: number
}

export type Upload = {
  workspace: string
  /** Where files go, relative to the workspace. */
  directory: string
  parts: AsyncIterable<Multipart>
  limits: UploadLimits
  /** Told the names of fields that a form of files does not have. */
  onIgnored: (names: string[]) => void
}

export const uploadedSchema = z.object({
  uploaded: z.array(z.string()),
  failed: z.array(z.object({ path: z.string(), error: z.string() })),
})
export type Uploaded = z.infer<typeof uploadedSchema>

type Staged = { name: string; filename: string; problem?: AgentError }

/** What forms call their files. A part of that name without a file's name is taken for text, and would vanish unsaid. */
const FILE_FIELDS: readonly string[] = ['file', 'files']

/**
 * Takes the files of a form. They are gathered aside first, as the form may name their places last, and then put where
 * they belong one by one: a bad one fails alone.
 */
export async function uploadFiles({ workspace, directory, parts, limits, onIgnored }: Upload): Promise<Uploaded> {
  // Refused before a byte is read when the place itself is no place.
  await (await speakingOf(directory, () => holdDirectory(workspace, directory, { make: true })))[Symbol.asyncDispose]()
  await using root = await holdDirectory(workspace, '.')
  const name = temporaryName()
  await makeDirectory(root, name)
  try {
    await using aside = await root.child(name)
    const { staged, paths } = await gather(parts, aside, { limits, onIgnored })
    if (paths && paths.length !== staged.length)
      throw new AgentError(
        'invalid_payload',
        `paths names ${paths.length} places for ${staged.length} files; give one for each, in the same order.`,
      )
    return await place(staged, { workspace, directory, aside, paths })
  } finally {
    await removeTree(root, name)
  }
}

async function gather(
  parts: AsyncIterable<Multipart>,
  aside: HeldDirectory,
  { limits, onIgnored }: Pick<Upload, 'limits' | 'onIgnored'>,
): Promise<{ staged: Staged[]; paths: string[] | undefined }> {
  const staged: Staged[] = []
  let paths: string[] | undefined
  let left = limits.requestBytes
  for await (const part of parts) {
    if (part.type === 'field') {
      if (part.fieldname === 'paths') paths = pathsIn(part.value)
      else if (FILE_FIELDS.includes(part.fieldname))
        staged.push({ name: '', filename: '', problem: new AgentError('invalid_path', 'The file has no name.') })
      else onIgnored([part.fieldname])
      continue
    }
    const name = String(staged.length)
    left -= await save(part.file, { aside, name, left })
    const problem = part.file.truncated
      ? new AgentError('payload_too_large', `The file has more than ${limits.fileBytes} bytes.`)
      : undefined
    staged.push({ name, filename: nameOf(part), ...(problem && { problem }) })
  }
  return { staged, paths }
}

/** A part may name none, whatever its type says. */
function nameOf({ filename }: { filename?: string }): string {
  return filename ?? ''
}

type Saving = { aside: HeldDirectory; name: string; left: number }

async function save(file: Readable, { aside, name, left }: Saving): Promise<number> {
  await using target = await open(aside.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
  let size = 0
  for await (const chunk of file as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > left)
      throw new AgentError('payload_too_large', 'The files of one upload are too large together. Send them in parts.')
    await target.writeFile(chunk)
  }
  await aside.giveToOwner(target)
  return size
}

async function place(
  staged: readonly Staged[],
  {
    workspace,
    directory,
    aside,
    paths,
  }: { workspace: string; directory: string; aside: HeldDirectory; paths: string[] | undefined },
): Promise<Uploaded> {
  const outcome: Uploaded = { uploaded: [], failed: [] }
  for (const [index, { name, filename, problem }] of staged.entries()) {
    const wanted = paths?.[index] ?? filename
    try {
      if (problem) throw problem
      if (wanted === '') throw new AgentError('invalid_path', 'The file has no name.')
      demandRelative(wanted)
      // Where it belongs, not only in the workspace: `paths` are relative to the directory.
      if (posix.normalize(wanted).split('/')[0] === '..')
        throw new AgentError('invalid_path', `${wanted} leaves the directory.`)
      outcome.uploaded.push(await putAt(workspace, posix.join(directory, wanted), aside.at(name)))
    } catch (error) {
      if (!isAgentError(error)) throw error
      outcome.failed.push({ path: wanted, error: error.message })
    }
  }
  return outcome
}

async function putAt(workspace: string, path: string, from: string): Promise<string> {
  return speakingOf(path, async () => {
    await using entry = await holdEntry(workspace, path, { make: true })
    const old = await existing(entry.at)
    if (old) demandRegular(old, path)
    await rename(from, entry.at)
    return entry.path
  })
}

const pathsSchema = z.array(z.string())

function pathsIn(value: unknown): string[] {
  const paths = pathsSchema.safeParse(typeof value === 'string' ? parseBoundedJson(value) : value)
  if (!paths.success) throw new AgentError('invalid_payload', 'paths must be a JSON array of strings.')
  return paths.data
}
