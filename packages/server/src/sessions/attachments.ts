import { AgentError, type MessageContent, type MessageContentPart } from '@parley/protocol'
import type { StoredMessage, StoredPart } from '../runs/accept/user-message.ts'

const MAX_BYTES = 50 * 1024 * 1024

/** Puts a file into a session's workspace and returns its path there. */
export type StoreFile = (session_id: string, name: string, bytes: Buffer) => Promise<string>

/** Puts files and inline images of a message into the workspace, so that history holds where they are, not what is in them. */
export async function storeAttachments(
  message: MessageContent,
  session_id: string,
  storeFile: StoreFile,
): Promise<StoredMessage> {
  if (typeof message === 'string') return message
  const parts: StoredPart[] = []
  for (const part of message) parts.push(await storePart(part, session_id, storeFile))
  return parts
}

async function storePart(part: MessageContentPart, session_id: string, storeFile: StoreFile): Promise<StoredPart> {
  if (part.type === 'text') return part
  if (part.type === 'file') {
    const path = await storeFile(session_id, part.name, decode(part.data))
    return { type: 'file', name: part.name, path, url: urlOf(session_id, path) }
  }
  const { url } = part.image_url
  const inline = /^data:(image\/[a-z.+-]+);base64,(.*)$/s.exec(url)
  if (inline) {
    const { name } = part
    const type = inline[1]!.split('/')[1]!.replace(/\+.*/, '')
    const path = await storeFile(session_id, name ?? `image.${type}`, decode(inline[2]!))
    return {
      type: 'image_url',
      image_url: { url: urlOf(session_id, path) },
      ...(name !== undefined && { name }),
      path,
      data_url: url,
    }
  }
  if (!url.startsWith('https://'))
    throw new AgentError('invalid_payload', 'An image is a data: URL of an image, or an https: URL.')
  return part
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
