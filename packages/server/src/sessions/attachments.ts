import { mkdir, open, realpath, rm } from 'node:fs/promises'
import { basename, extname, join, sep } from 'node:path'
import { AgentError, type MessageContent, type MessageContentPart } from '@parley/protocol'
import type { StoredMessage, StoredPart } from './user-message.ts'

const MAX_BYTES = 50 * 1024 * 1024
const FOLDER = 'uploads'
const NAMES_TRIED = 1_000
/** File systems take 255 bytes; a character may have four, and a number may be added. */
const NAME_CHARACTERS = 60

/** Puts files and inline images of a message into the workspace, so that history holds where they are, not what is in them. */
export async function storeAttachments(
  message: MessageContent,
  session_id: string,
  workspace: () => Promise<string>,
): Promise<StoredMessage> {
  if (typeof message === 'string') return message
  const parts: StoredPart[] = []
  for (const part of message) parts.push(await storePart(part, session_id, workspace))
  return parts
}

async function storePart(
  part: MessageContentPart,
  session_id: string,
  workspace: () => Promise<string>,
): Promise<StoredPart> {
  if (part.type === 'text') return part
  if (part.type === 'file') {
    const path = await storeFile(await workspace(), part.name, decode(part.data))
    return { type: 'file', name: part.name, path, url: urlOf(session_id, path) }
  }
  const { url } = part.image_url
  const inline = /^data:(image\/[a-z.+-]+);base64,(.*)$/s.exec(url)
  if (inline) {
    const path = await storeFile(
      await workspace(),
      `image.${inline[1]!.split('/')[1]!.replace(/\+.*/, '')}`,
      decode(inline[2]!),
    )
    return { type: 'image_url', image_url: { url: urlOf(session_id, path) }, path, data_url: url }
  }
  if (!url.startsWith('https://'))
    throw new AgentError('invalid_payload', 'An image is a data: URL of an image, or an https: URL.')
  return part
}

/** Under its own name, or with a number when that is taken. */
async function storeFile(workspace: string, name: string, bytes: Buffer): Promise<string> {
  const clean = basename(name.replaceAll('\\', '/')).replaceAll('\0', '').replace(/^\.+/, '') || 'file'
  const extension = extname(clean).slice(0, 20)
  const stem = [...clean.slice(0, clean.length - extname(clean).length)].slice(0, NAME_CHARACTERS).join('')
  await mkdir(join(workspace, FOLDER), { recursive: true })
  // The folder may have become a link: what people attach never leaves the workspace.
  const folder = await realpath(join(workspace, FOLDER))
  if (!folder.startsWith((await realpath(workspace)) + sep))
    throw new AgentError('invalid_path', `${FOLDER} leads out of the workspace.`)
  for (let number = 1; number < NAMES_TRIED; number++) {
    const path = join(FOLDER, number === 1 ? `${stem}${extension}` : `${stem}-${number}${extension}`)
    try {
      await using file = await open(join(workspace, path), 'wx', 0o600)
      await file.writeFile(bytes).catch(async (error: unknown) => {
        await rm(join(workspace, path), { force: true })
        throw error
      })
      return path
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  throw new AgentError('invalid_payload', `There are too many files named ${clean}.`)
}

function decode(base64: string): Buffer {
  // Node skips what it cannot read; half a file would be stored as if it were whole.
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.replace(/=+$/, '').length % 4 === 1)
    throw new AgentError('invalid_payload', 'The data of an attachment is not Base64.')
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > MAX_BYTES)
    throw new AgentError(
      'payload_too_large',
      `An attachment has ${bytes.length} bytes; at most ${MAX_BYTES} are taken.`,
    )
  return bytes
}

function urlOf(session_id: string, path: string): string {
  return `/api/sessions/${session_id}/files/${path.split('/').map(encodeURIComponent).join('/')}`
}
