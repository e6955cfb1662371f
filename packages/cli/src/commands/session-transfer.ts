import { createWriteStream, openAsBlob } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { ParleyClient } from '@parley/client'
import { CommandError, EXIT } from '../exit-codes.ts'
import { printable } from '../printable.ts'
import { StatusLine } from '../status-line.ts'
import type { Terminal } from '../terminal.ts'

const DAY_SECONDS = 24 * 60 * 60

export type TransferFlags = { json: boolean; output?: string | undefined; markdown: boolean; name?: string | undefined }

/** Writes a session into a file, which must not be there yet. */
export async function exportSession(
  client: ParleyClient,
  { id, flags }: { id: string; flags: TransferFlags },
  terminal: Terminal,
): Promise<void> {
  const { words, output, errors } = terminal
  const format = flags.markdown ? 'markdown' : 'zip'
  const file = flags.output ?? `${id}.${flags.markdown ? 'md' : 'zip'}`
  using status = errors.isTTY ? new StatusLine(terminal) : undefined
  const underWay = words.progress.exporting(printable(basename(file)))
  status?.show(underWay)
  const { body } = await client.sessions.export(id, { format })
  const target = createWriteStream(file, { flags: 'wx' })
  const source = Readable.fromWeb(body as ReadableStream)
  source.on('data', () => status?.show(underWay, megabytes(target.bytesWritten)))
  try {
    await pipeline(source, target)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw new CommandError(EXIT.usage, words.fileExists(file))
    if (target.bytesWritten > 0) await rm(file, { force: true })
    throw new CommandError(EXIT.failed, words.fileFailed(file, message))
  }
  status?.[Symbol.dispose]()
  output.write(flags.json ? `${JSON.stringify({ id, file })}\n` : `${file}\n`)
}

/** The new session's id on standard output; what was left out on standard error. */
export async function importSession(
  client: ParleyClient,
  { file, flags }: { file: string; flags: TransferFlags },
  terminal: Terminal,
): Promise<void> {
  const { words, output, errors } = terminal
  const archive = await openArchive(file, words)
  using status = errors.isTTY ? new StatusLine(terminal) : undefined
  status?.show(words.progress.importing(printable(basename(file))), megabytes(archive.size))
  const made = await client.sessions.import(archive, { ...(flags.name && { name: flags.name }) })
  status?.[Symbol.dispose]()
  if (flags.json) return void output.write(`${JSON.stringify(made)}\n`)
  for (const warning of made.warnings) errors.write(`${printable(warning)}\n`)
  output.write(`${made.id}\n`)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

async function openArchive(file: string, words: Terminal['words']): Promise<Blob> {
  try {
    return await openAsBlob(file)
  } catch (error) {
    throw new CommandError(EXIT.usage, words.fileFailed(file, (error as Error).message))
  }
}

export async function shareSession(
  client: ParleyClient,
  { id, days, json }: { id: string; days: number | null; json: boolean },
  { words, output, errors }: Terminal,
): Promise<void> {
  const share = await client.sessions.share(id, { ttl_seconds: days === null ? null : days * DAY_SECONDS })
  if (json) return void output.write(`${JSON.stringify(share)}\n`)
  output.write(`${share.url}\n`)
  errors.write(`${words.linkShows(share.expires_at)}\n`)
}

export async function unshareSession(
  client: ParleyClient,
  { id, json }: { id: string; json: boolean },
  { words, output }: Terminal,
): Promise<void> {
  await client.sessions.unshare(id)
  output.write(json ? `${JSON.stringify({ id, shared: false })}\n` : `${words.linksEnded(id)}\n`)
}
