import { basename } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { openFile } from './files/open-file.ts'
import { attachmentNamed, contentTypeOf } from './content-type.ts'

/** Answers with the bytes of a file, or with the part that was asked for. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { workspace, path, isDownload }: { workspace: string; path: string; isDownload: boolean },
): Promise<FastifyReply> {
  const { handle, stats } = await openFile(workspace, path)
  const { contentType, isActive } = contentTypeOf(path)
  const range = rangeOf(request.headers.range, 'if-range' in request.headers, stats.size)
  reply.headers({
    'content-type': contentType,
    'x-content-type-options': 'nosniff',
    'last-modified': stats.mtime.toUTCString(),
    'accept-ranges': 'bytes',
    ...(isActive && { 'content-security-policy': 'sandbox' }),
    ...(isDownload && { 'content-disposition': attachmentNamed(basename(path)) }),
  })
  if (range === 'unsatisfiable' || stats.size === 0) {
    await handle.close()
    if (range !== 'unsatisfiable') return reply.header('content-length', 0).send('')
    return reply.code(416).header('content-range', `bytes */${stats.size}`).send('')
  }
  const { start, end } = range ?? { start: 0, end: stats.size - 1 }
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${stats.size}`)
  reply.header('content-length', end - start + 1)
  // The stream closes the file, also when the reader goes away.
  return reply.send(handle.createReadStream({ start, end }))
}

type Range = { start: number; end: number }

/** One range; several, and conditions that we do not keep, get the whole file. */
export function rangeOf(
  asked: string | undefined,
  isConditional: boolean,
  size: number,
): Range | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(asked ?? '') ?? []
  if (first === undefined || last === undefined || isConditional || (first === '' && last === '')) return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (start >= size || (first === '' && Number(last) === 0)) return 'unsatisfiable'
  return end < start ? undefined : { start, end }
}
