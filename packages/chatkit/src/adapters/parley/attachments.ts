import type { MessageContent, MessageContentPart, TurnProjection } from '@parley/protocol'
import { BlockType } from '../../model/block-type.ts'
import type { Attachment } from '../../model/chat-adapter.ts'
import { chatKitError } from '../../model/chat-kit-error.ts'
import type { Block } from '../../model/chat-message.ts'
import { asObject, asText } from '../../stream/parse-json.ts'

/** The server takes messages of 20 MiB; Base64 makes four characters of three bytes. */
const MAX_BYTES = 14 * 1024 * 1024
const CHUNK = 32 * 1024
const IMAGE = /\.(png|jpe?g|gif|webp)$/i

/** A file as it travels inside its message: accepted with it, or not at all. */
export async function readAttachment(file: File): Promise<Attachment> {
  checkSize(file.size)
  const { name, size } = file
  const mediaType = file.type || 'application/octet-stream'
  return {
    name,
    mediaType,
    size,
    url: `data:${mediaType};base64,${toBase64(new Uint8Array(await file.arrayBuffer()))}`,
  }
}

export function withAttachments(text: string, attachments: readonly Attachment[]): MessageContent {
  if (attachments.length === 0) return text
  checkSize(attachments.reduce((sum, { size }) => sum + size, 0))
  return [{ type: 'text', text }, ...attachments.map(partOf)]
}

function partOf({ name, mediaType, url = '' }: Attachment): MessageContentPart {
  if (/^image\/(png|jpeg|gif|webp)$/.test(mediaType)) return { type: 'image_url', image_url: { url }, name }
  return { type: 'file', name, data: url.slice(url.indexOf(',') + 1) }
}

/** The files of a message that the server has taken. Their ids are where the server keeps them. */
export function fileBlocks({ content_parts }: Pick<TurnProjection, 'content_parts'>): Block[] {
  return (content_parts ?? []).flatMap((part, index): Block[] => {
    const id = asText(part['type'] === 'image_url' ? asObject(part['image_url'])['url'] : part['url'])
    if (part['type'] === 'text' || id === '') return []
    const name = asText(part['name']) || lastPartOf(id)
    const type = part['type'] === 'image_url' ? (IMAGE.exec(name)?.[1]?.toLowerCase() ?? 'png') : undefined
    const mediaType = type && { mediaType: `image/${type.replace('jpg', 'jpeg')}` }
    // An address elsewhere is the user's own: it is not fetched with the token.
    const place = id.startsWith('/api/sessions/') ? { id } : { url: id }
    return [{ type: BlockType.File, key: `file:${index}`, content: { name, ...mediaType, ...place } }]
  })
}

/** The file's name in its address. Users write addresses too, and not every percent sign is an escape. */
function lastPartOf(address: string): string {
  const [path = ''] = address.split(/[?#]/)
  const part = path.slice(path.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function checkSize(bytes: number): void {
  if (bytes > MAX_BYTES)
    throw chatKitError('too_long', `The files have ${bytes} bytes; a message takes at most ${MAX_BYTES}.`)
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  // A call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return btoa(binary)
}
