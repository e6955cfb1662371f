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
import { listDirectory, listedEntrySchema } from './list-directory.ts'
import { sendFile } from './send-file.ts'
import { shareFile } from './share-file.ts'
import { actionOf, demandRelative, type Tailed, tailOf } from './tail.ts'
import { type UploadLimits, uploadedSchema, uploadFiles } from './upload-files.ts'
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
const BYTES = 'application/octet-stream'

const downloadSchema = z.object({ download: z.string().optional() })
const contentSchema = z.object({ content: z.string() })
const renameSchema = z.object({ new_name: z.string() })
/** `paths`: a JSON list of where each goes, in the order of the files. */
const uploadSchema = z.object({ files: z.array(z.file()), paths: z.string().optional() })
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

  const listing = needs('files', {
    says: ['What is in a directory', '列出目录'],
    answer: z.array(listedEntrySchema),
    ...READ,
  })
  const packing = needs('files', { says: ['A directory as an archive', '打包下载目录'], gives: BYTES, ...READ })
  for (const tail of ['', '/*']) {
    scope.get<Tailed>(`${ONE}/ls${tail}`, listing, async (request) =>
      listDirectory(await workspaceOf(request), tailOf(request)),
    )

    scope.get<Tailed>(`${ONE}/download-dir${tail}`, { ...packing, exposeHeadRoute: false }, async (request, reply) =>
      sendZip(reply, await workspaceOf(request), tailOf(request)),
    )
  }

  const reading = needs('files', {
    says: ['A file', '读取文件'],
    query: downloadSchema,
    gives: BYTES,
    ...READ,
  })
  scope.get<Tailed>(`${ONE}/files/*`, reading, async (request, reply) => {
    const isDownload = ['1', 'true'].includes(readQuery(request, downloadSchema).download ?? '')
    return sendFile(request, reply, { workspace: await workspaceOf(request), path: tailOf(request), isDownload })
  })

  const writing = needs('files', {
    says: ['Writes a text file', '写入文本文件'],
    body: contentSchema,
    answer: z.object({ success: z.literal(true) }),
    ...CHANGE,
  })
  scope.put<Tailed>(`${ONE}/files/*`, writing, async (request) => {
    const { content } = readBody(request, contentSchema)
    const workspace = await toChange(request)
    const path = await replaceFile(workspace, tailOf(request), { fill: (file) => file.writeFile(content) })
    await changed(request, workspace, path)
    return { success: true }
  })

  const deleting = needs('files', {
    says: ['Deletes a file or a directory', '删除文件或目录'],
    answer: z.object({ deleted: z.literal(true) }),
    ...CHANGE,
  })
  scope.delete<Tailed>(`${ONE}/files/*`, deleting, async (request) => {
    const workspace = await toChange(request)
    await changed(request, workspace, await removeEntry(workspace, tailOf(request)))
    return { deleted: true }
  })

  const moving = needs('files', {
    says: ['`{path}/rename` or `{path}/copy`: renames or copies', '路径以 /rename 或 /copy 结尾：重命名或复制'],
    body: renameSchema,
    answer: z.object({ path: z.string() }),
    ...CHANGE,
  })
  scope.post<Tailed>(`${ONE}/files/*`, moving, async (request) => {
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

  const linking = needs('files', {
    says: ['Puts a link to a file into `.share`', '在 .share 中创建文件链接'],
    body: shareSchema,
    answer: z.object({ path: z.string(), target: z.string() }),
  })
  scope.post<Tailed>(`${ONE}/share-file`, linking, async (request) => {
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
    const uploading = needs('files', {
      says: ['Puts files into a directory', '上传文件到目录'],
      takes: 'multipart/form-data',
      body: uploadSchema,
      answer: uploadedSchema,
      ...CHANGE,
    })
    for (const tail of ['', '/*']) uploads.post<Tailed>(`${ONE}/upload${tail}`, uploading, upload)
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
