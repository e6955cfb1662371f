import { Readable } from 'node:stream'
import { exportQuerySchema } from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { SessionReader } from '../feature.ts'
import { readQuery } from '../http/ignored-fields.ts'
import { readerOf } from '../http/reader.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { Clock } from '../ports.ts'
import type { SessionMasks } from '../secrets/session-masks.ts'
import { attachmentNamed } from '../workspace/content-type.ts'
import type { HeldDirectory } from '../workspace/files/held-directory.ts'
import { holdDirectory } from '../workspace/files/hold.ts'
import type { Workspaces } from '../workspace/workspaces.ts'
import { demandZippable, zipDirectory } from '../workspace/zip-directory.ts'
import { WORKSPACE } from './archive-format.ts'
import { archiveTexts } from './export-archive.ts'
import type { Exporting } from './exported-turns.ts'
import { exportMarkdown } from './export-markdown.ts'

export type ExportRoutesOptions = { sessions: SessionReader; masks: SessionMasks; workspaces: Workspaces; clock: Clock }

type OneSession = { Params: { session_id: string } }

const NAME_CHARACTERS = 60

/** [W12.6] A session to take along. It holds what the model was told, so it is the account's. */
export function exportRoutes(app: FastifyInstance, options: ExportRoutesOptions): void {
  const { sessions, masks } = options
  const exporting = needs('account', {
    says: ['A session to take along, as an archive or as Markdown', '导出会话：压缩包或 Markdown'],
    query: exportQuerySchema,
    gives: 'application/octet-stream',
    bySubject: true,
  })
  const route = { ...exporting, exposeHeadRoute: false }
  app.get<OneSession>('/api/sessions/:session_id/export', route, async (request, reply) => {
    const { format } = readQuery(request, exportQuerySchema)
    const { session_id } = request.params
    const principal = principalOf(request)
    const { intent } = await sessions.get(principal, session_id)
    const mask = await masks.of(session_id)
    const exporting = { principal, session_id, sessions, mask }
    const name = nameOf(mask(intent)) || session_id
    void reply.header('x-content-type-options', 'nosniff')
    if (format === 'zip') return sendArchive(reply, name, { exporting, options })
    const { language } = readerOf(request)
    return reply
      .type('text/markdown; charset=utf-8')
      .header('content-disposition', attachmentNamed(`${name}.md`))
      .send(Readable.from(exportMarkdown(exporting, language), { objectMode: false }))
  })
}

type Archive = { exporting: Exporting; options: ExportRoutesOptions }

async function sendArchive(reply: FastifyReply, name: string, { exporting, options }: Archive): Promise<FastifyReply> {
  const { workspaces, clock } = options
  const texts = archiveTexts(exporting, new Date(clock.now()).toISOString())
  const directory = await holdExisting(workspaces.directoryOf(exporting.session_id))
  try {
    if (directory) await demandZippable(directory)
  } catch (error) {
    await directory?.[Symbol.asyncDispose]()
    throw error
  }
  const archive = Readable.from(zipDirectory(directory, { texts, under: WORKSPACE }), { objectMode: false })
  // Also when the reader left before the first byte.
  archive.once('close', () => void directory?.[Symbol.asyncDispose]())
  return reply
    .type('application/zip')
    .header('content-disposition', attachmentNamed(`${name}.zip`))
    .send(archive)
}

/** A session that no tool has worked in has none. */
async function holdExisting(workspace: string): Promise<HeldDirectory | undefined> {
  try {
    return await holdDirectory(workspace, '.')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** A title as the name of a file. */
function nameOf(intent: string): string {
  const words = intent.replaceAll(/[\p{Cc}/\\:*?"<>|]+/gu, ' ').replaceAll(/\s+/g, ' ')
  return [...words]
    .slice(0, NAME_CHARACTERS)
    .join('')
    .replace(/^[. ]+/, '')
    .trim()
}
