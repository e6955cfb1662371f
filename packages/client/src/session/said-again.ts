import {
  AgentError,
  isUserMessage,
  type MessageContent,
  type MessageContentPart,
  textOf,
  type TurnProjection,
} from '@parley/protocol'
import type { Rest } from '../rest/rest.ts'

/** The user's message that a turn is, or is an answer to. */
export function findMessage(turns: readonly TurnProjection[], turn_id: string): TurnProjection {
  const at = turns.findLastIndex((turn) => turn.turn_id === turn_id)
  const message = turns.slice(0, at + 1).findLast(isUserMessage)
  if (message) return message
  throw new AgentError('not_found', `There is no message for turn ${turn_id} among those that were read.`)
}

/** What a message says, to be sent once more: with its attachments, as they are in the workspace now. */
export async function saidAgain(
  { content_parts, ...turn }: TurnProjection,
  rest: Rest,
  signal: AbortSignal | undefined,
): Promise<MessageContent> {
  if (!content_parts) return textOf(turn)
  return Promise.all(content_parts.map((part) => partAgain(part as StoredPart, rest, signal)))
}

/** The same attachments, with other words. */
export function withText(message: MessageContent, text: string): MessageContent {
  if (typeof message === 'string') return text
  return [{ type: 'text', text }, ...message.filter(({ type }) => type !== 'text')]
}

/** As the history tells it: inline data is in the workspace. */
type StoredPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string }; name?: string }
  | { type: 'file'; name: string; url: string }

async function partAgain(part: StoredPart, rest: Rest, signal?: AbortSignal): Promise<MessageContentPart> {
  if (part.type === 'text') return part
  if (part.type === 'file') {
    const { name, url } = part
    return { type: 'file', name, data: (await read(url, rest, signal)).base64 }
  }
  if (!part.image_url.url.startsWith('/')) return part
  const { type, base64 } = await read(part.image_url.url, rest, signal)
  return { ...part, image_url: { url: `data:${type};base64,${base64}` } }
}

async function read(path: string, rest: Rest, signal?: AbortSignal): Promise<{ type: string; base64: string }> {
  const response = await rest.raw(path, signal ? { signal } : {})
  if (!response.ok) throw new AgentError('not_found', `An attachment of the message is no longer there: ${path}.`)
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
  return { type, base64: toBase64(new Uint8Array(await response.arrayBuffer())) }
}

/** A call takes only so many arguments. */
const CHUNK = 32 * 1024

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return btoa(binary)
}
