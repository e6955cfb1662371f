import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import multipart, { type MultipartFile } from '@fastify/multipart'
import { AgentError } from '@parley/protocol'
import { columnText, importedSessionSchema, importPreviewSchema } from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ignore } from '../http/ignored-fields.ts'
import { parse } from '../http/parse.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import { temporaryName } from '../workspace/files/temporary-name.ts'
import { removeWorkspace } from '../workspace/remove-tree.ts'
import type { Workspaces } from '../workspace/workspaces.ts'
import { type Importing, importSession, previewImport } from './import-session.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants

export type ImportRoutesOptions = Importing & { workspaces: Workspaces }

const ARCHIVE_BYTES = 50 * 1024 * 1024
/** For what a form says beside its file. */
const FORM_BYTES = 64 * 1024

const formSchema = z.object({ name: columnText.default(''), solution_id: z.string().default('') })
const uploadSchema = z.object({ file: z.file(), ...formSchema.shape })

type Form = z.output<typeof formSchema>
type Upload = { session_id: string; workspace: string; archive: string; form: Form }

/** [W12.6] A session of an archive; and what that would be. In a scope of their own: only here may a body be a form. */
export function importRoutes(scope: FastifyInstance, options: ImportRoutesOptions): void {
  void scope.register(async (uploads) => {
    await uploads.register(multipart, { throwFileSizeLimit: false })
    const previewing = needs('account', {
      says: ['What an import of this archive would make', '预览导入结果'],
      takes: 'multipart/form-data',
      body: uploadSchema,
      answer: importPreviewSchema,
    })
    uploads.post('/api/sessions/preview-import', previewing, (request, reply) =>
      taking(request, reply, { options, isKept: false, use: ({ archive }) => previewImport(archive, options) }),
    )
    const importing = needs('account', {
      says: ['Makes a session of an archive', '从压缩包导入会话'],
      takes: 'multipart/form-data',
      body: uploadSchema,
      answer: importedSessionSchema,
    })
    uploads.post('/api/sessions/import', importing, (request, reply) =>
      taking(request, reply, {
        options,
        isKept: true,
        use({ form: { name, solution_id }, ...upload }) {
          return importSession({ principal: principalOf(request), name, solution_id, ...upload }, options)
        },
      }),
    )
  })
}

type Taking<T> = {
  options: ImportRoutesOptions
  /** The directory is a session's afterwards. */
  isKept: boolean
  use: (upload: Upload) => Promise<T>
}

/** Takes the archive into the directory of a session to be. Whatever fails, nothing of it stays; after a crash, the cleaner sees to it. */
async function taking<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  { options, isKept, use }: Taking<T>,
): Promise<T> {
  const { workspaces, ids } = options
  const session_id = ids.next('sess')
  try {
    demandForm(request)
    const workspace = await workspaces.make(session_id)
    const archive = join(workspace, temporaryName())
    const form = await readForm(request, archive)
    const used = await use({ session_id, workspace, archive, form })
    if (!isKept) await removeWorkspace(workspaces.directory, session_id)
    return used
  } catch (error) {
    // What was not read of the body would be taken for the next request.
    reply.header('connection', 'close')
    await removeWorkspace(workspaces.directory, session_id)
    throw error
  }
}

function demandForm(request: FastifyRequest): void {
  if (!request.isMultipart()) throw new AgentError('invalid_payload', 'file: Send the archive as multipart/form-data.')
  if (Number(request.headers['content-length'] ?? 0) > ARCHIVE_BYTES + FORM_BYTES) throw tooLarge()
}

async function readForm(request: FastifyRequest, archive: string): Promise<Form> {
  const fields: Record<string, unknown> = {}
  let files = 0
  const limits = { fileSize: ARCHIVE_BYTES, files: 2, fields: 10, fieldSize: FORM_BYTES }
  for await (const part of request.parts({ limits })) {
    if (part.type === 'field') fields[part.fieldname] = part.value
    else if (part.fieldname !== 'file' || ++files > 1)
      throw new AgentError('invalid_payload', 'file: Send one archive, in the field of this name.')
    else await save(part, archive)
  }
  if (files === 0) throw new AgentError('invalid_payload', 'file: There is no archive in the form.')
  return parse(formSchema, fields, (names) => ignore(request, names))
}

async function save({ file }: MultipartFile, archive: string): Promise<void> {
  await using target = await open(archive, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  for await (const chunk of file as AsyncIterable<Buffer>) await target.writeFile(chunk)
  if (file.truncated) throw tooLarge()
}

function tooLarge(): AgentError {
  return new AgentError('payload_too_large', `An archive has at most ${ARCHIVE_BYTES} bytes.`)
}
