import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { OWNER_KEY, sharedWorld, type World } from '../wire/world.ts'
import type { Frame, Message } from './reader.ts'

const world = sharedWorld()

/** 2 000 tokens of 4 bytes. */
const text = Array.from({ length: 2_000 }, (_, index) => `${String(index % 1_000).padStart(3, '0')} `).join('')
/** Around the text: the line, the envelope, the message, and what HTTP adds to a chunk. */
const PER_FRAME = 400

type Read = { bytes: number; frames: Frame[] }

/** Reads a response at this pace, straight from the socket. */
async function readAt(at: World, user_input: string, bytesPerSecond: number): Promise<Read> {
  const { hostname, port } = new URL(at.url)
  const socket = connect({ host: hostname, port: Number(port) })
  const body = JSON.stringify({ user_input })
  const head = [
    'POST /chat/stream HTTP/1.1',
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${OWNER_KEY}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  let raw = ''
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    raw += chunk.toString()
    if (bytesPerSecond < Infinity) await delay((chunk.length / bytesPerSecond) * 1_000)
  }
  const frames = unchunked(raw)
    .split('\n\n')
    .flatMap((part) => (part.startsWith('data: ') ? [JSON.parse(part.slice(6)) as Frame] : []))
  return { bytes: Buffer.byteLength(raw), frames }
}

/** The body, without the lengths that HTTP puts between its pieces. All of it is ASCII here. */
function unchunked(raw: string): string {
  let rest = raw.slice(raw.indexOf('\r\n\r\n') + 4)
  let body = ''
  while (rest !== '') {
    const end = rest.indexOf('\r\n')
    const length = Number.parseInt(rest.slice(0, end), 16)
    body += rest.slice(end + 2, end + 2 + length)
    rest = rest.slice(end + 4 + length)
  }
  return body
}

function textIn({ content }: Message): number {
  return content.reduce((sum, { text: said = '' }) => sum + said.length, 0)
}

/** How long the model took, by the journal. */
async function secondsOf(session_id: string): Promise<number> {
  const turns = await world().messages(session_id)
  return turns.find(({ role }) => role === 'assistant')!.duration_ms / 1_000
}

describe('[O16.6] [OB1] [O10] an answer of n bytes, produced over t seconds, costs at most 20 × t × n / 2 and a constant per frame', () => {
  test.each([
    { who: 'a fast reader', question: 'flow: fast', pace: Infinity, chunkChars: 4 },
    { who: 'a reader of 10 KB/s', question: 'flow: slow', pace: 10_000, chunkChars: 40 },
  ])('$who', async ({ question, pace, chunkChars }) => {
    world().learn({ [question]: [{ text, chunkChars, chunkDelayMs: 1 }] })
    const { bytes, frames } = await readAt(world(), question, pace)
    const updates = frames.filter(({ type }) => type === 'message_update')
    const t = await secondsOf(frames[0]!.session_id)
    const n = text.length
    expect(frames.at(-2)).toMatchObject({ type: 'message_completed', message: { content: [{ type: 'text', text }] } })
    expect(frames.at(-1)!.type).toBe('response_completed')
    // The first update goes at once, and the message once more when it is complete.
    expect(updates.length).toBeLessThanOrEqual(t * 20 + 2)
    // n / 2 is what a message holds on average while it grows evenly; on a busy machine it grows in leaps.
    const average = updates.reduce((sum, { message }) => sum + textIn(message), 0) / updates.length
    expect(average).toBeLessThan(n)
    expect(bytes).toBeLessThanOrEqual(20 * t * average + 3 * n + PER_FRAME * (frames.length + 1))
  })
})
