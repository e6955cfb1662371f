import { utimes } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import multipart from '@fastify/multipart'
import { AgentError } from '@parley/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { needs, principalOf } from '../http/signed-in.ts'
import { ignore, readBody, readQuery } from '../http/ignored-fields.ts'
import { speakingOf } from './files/file-errors.ts'
import { holdDirectory } from './files/hold.ts'
import { replaceFile } from './files/replace-file.ts'
import { removeEntry, renameEntry } from './change-entry.ts'
import { attachmentNamed } from './content-type.ts'
import { copyEntry } from './copy-entry.ts'
import { listDirectory } from './list-directory.ts'
import { sendFile } from './send-file.ts'
import { shareFile } from './share-file.ts'
import { actionOf, demandRelative, type Tailed, tailOf } from './tail.ts'
import { type UploadLimits, uploadFiles } from './upload-files.ts'
import { demandZippable, zipDirectory } from './zip-directory.ts'

export type WorkspaceRoutesOptions = {
  /** The session's directory, existing; `session_not_found` when it is not this user's. */
  workspaceOf: (user: { user_id: string }, session_id: string) => Promise<string>
  /** Called before anything is changed. */
  beforeWrite: (session_id: string) => Promise<void>
  /** Something was changed, relative to the workspace; `null`: much. */
  changed: (session_id: string, file_path: string | null) => void
  limits?: Partial<UploadLimits>
}

const MAX_FILES = 1_000
/** For what a form says about its files. */
const FORM_BYTES = 1024 * 1024
const ONE = '/api/sessions/:session_id'
const CHANGE = { tailIsPath: true }
const READ = { bySubject: true, tailIsPath: true }

const downloadSchema = z.object({ download: z.string().optional() })
const contentSchema = z.object({ content: z.string() })
const renameSchema = z.object({ new_name: z.string() })
const shareSchema = z.object({
  source_path: z.string().min(1),
  link_name: z.string().nullish(),
  share_folder: z.string().nullish(),
})

/** [W12.3] The files of a session's workspace. Nothing here leads out of it, whatever the path. */
export function workspaceRoutes(scope: FastifyInstance, options: WorkspaceRoutesOptions): void {
  const workspaceOf = (request: FastifyRequest<Tailed>) =>
    options.workspaceOf(principalOf(request), request.params.session_id)
  const toChange = async (request: FastifyRequest<Tailed>) => {
    const workspace = await workspaceOf(request)
    await options.beforeWrite(request.params.session_id)
    return workspace
  }
  const changed = async (request: FastifyRequest<Tailed>, workspace: string, ...paths: (string | null)[]) => {
    for (const path of paths) options.changed(request.params.session_id, path)
    // How the cleaner sees that somebody still uses it.
    const now = new Date()
    await utimes(workspace, now, now)
  }

  for (const tail of ['', '/*']) {
    scope.get<Tailed>(`${ONE}/ls${tail}`, needs('files', READ), async (request) =>
      listDirectory(await workspaceOf(request), tailOf(request)),
    )

    scope.get<Tailed>(
      `${ONE}/download-dir${tail}`,
      { ...needs('files', READ), exposeHeadRoute: false },
      async (request, reply) => sendZip(reply, await workspaceOf(request), tailOf(request)),
    )
  }

  scope.get<Tailed>(`${ONE}/files/*`, needs('files', READ), async (request, reply) => {
    const isDownload = ['1', 'true'].includes(readQuery(request, downloadSchema).download ?? '')
    return sendFile(request, reply, { workspace: await workspaceOf(request), path: tailOf(request), isDownload })
  })

  scope.put<Tailed>(`${ONE}/files/*`, needs('files', CHANGE), async (request) => {
    const { content } = readBody(request, contentSchema)
    const workspace = await toChange(request)
    const path = await replaceFile(workspace, tailOf(request), { fill: (file) => file.writeFile(content) })
    await changed(request, workspace, path)
    return { success: true }
  })

  scope.delete<Tailed>(`${ONE}/files/*`, needs('files', CHANGE), async (request) => {
    const workspace = await toChange(request)
    await changed(request, workspace, await removeEntry(workspace, tailOf(request)))
    return { deleted: true }
  })

  scope.post<Tailed>(`${ONE}/files/*`, needs('files', CHANGE), async (request) => {
    const asked = actionOf(request)
    if (!asked) throw new AgentError('not_found', 'Not Found')
    const workspace = await toChange(request)
    if (asked.action === 'copy') {
      const path = await copyEntry(workspace, asked.path)
      await changed(request, workspace, path)
      return { path }
    }
    const { new_name } = readBody(request, renameSchema)
    const { from, to } = await renameEntry(workspace, asked.path, new_name)
    await changed(request, workspace, from, to)
    return { path: to }
  })

  scope.post<Tailed>(`${ONE}/share-file`, needs('files'), async (request) => {
    const { source_path, link_name, share_folder } = readBody(request, shareSchema)
    demandRelative(source_path)
    const workspace = await toChange(request)
    const shared = await shareFile(workspace, {
      source_path,
      link_name: link_name ?? '',
      share_folder: share_folder ?? '',
    })
    await changed(request, workspace, shared.path)
    return shared
  })

  uploadRoutes(scope, async (request, reply) => {
    const limits = { fileBytes: 50 * 1024 ** 2, requestBytes: 200 * 1024 ** 2, ...options.limits }
    const workspace = await toChange(request)
    const directory = tailOf(request)
    try {
      demandForm(request, limits)
      const onIgnored = (names: string[]) => ignore(request, names)
      const parts = partsOf(request, limits)
      const outcome = await uploadFiles({ workspace, directory, parts, limits, onIgnored })
      if (outcome.uploaded.length > 0) await changed(request, workspace, ...outcome.uploaded)
      return outcome
    } catch (error) {
      // What was not read of the body would be taken for the next request.
      reply.header('connection', 'close')
      throw error
    }
  })
}

/** In a scope of their own: only here may a body be a form. */
function uploadRoutes(
  scope: FastifyInstance,
  upload: (request: FastifyRequest<Tailed>, reply: FastifyReply) => Promise<unknown>,
): void {
  void scope.register(async (uploads) => {
    await uploads.register(multipart, { throwFileSizeLimit: false })
    for (const tail of ['', '/*']) uploads.post<Tailed>(`${ONE}/upload${tail}`, needs('files', CHANGE), upload)
  })
}

function demandForm(request: FastifyRequest, { requestBytes }: UploadLimits): void {
  if (!request.isMultipart()) throw new AgentError('invalid_payload', 'Send the files as multipart/form-data.')
  if (Number(request.headers['content-length'] ?? 0) > requestBytes + FORM_BYTES)
    throw new AgentError('payload_too_large', `An upload has at most ${requestBytes} bytes. Send the files in parts.`)
}

function partsOf(request: FastifyRequest, { fileBytes }: UploadLimits) {
  return request.parts({
    limits: { fileSize: fileBytes, files: MAX_FILES, parts: MAX_FILES + 10, fieldSize: FORM_BYTES },
  })
}

async function sendZip(reply: FastifyReply, workspace: string, path: string): Promise<FastifyReply> {
  const directory = await speakingOf(path, () => holdDirectory(workspace, path))
  try {
    await demandZippable(directory)
  } catch (error) {
    await directory[Symbol.asyncDispose]()
    throw error
  }
  const name = path === '.' ? 'workspace' : basename(path)
  const archive = Readable.from(zipDirectory(directory), { objectMode: false })
  // Also when the reader left before the first byte.
  archive.once('close', () => void directory[Symbol.asyncDispose]())
  return reply
    .headers({
      'content-type': 'application/zip',
      'x-content-type-options': 'nosniff',
      'content-disposition': attachmentNamed(`${name}.zip`),
    })
    .send(archive)
}
