import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { OWNER_KEY, sharedWorld } from '../wire/world.ts'
import { ask, type Frame, newSessionId, open, textIn } from './sse.ts'

const CHARACTERS = 6_400_000
const world = sharedWorld('sqlite', {
  answerLimits: { characters: 2 * CHARACTERS, argumentCharacters: 1_000_000, calls: 2_000 },
})

/** Says this, and reads nothing of the answer before it is told to. */
async function askWithoutReading(body: object, headers: string[] = []): Promise<Socket> {
  const { hostname, port } = new URL(world().url)
  const socket = connect(Number(port), hostname).pause()
  const content = JSON.stringify(body)
  const head = [
    'POST /api/agent/chat/stream HTTP/1.1',
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${OWNER_KEY}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(content)}`,
    ...headers,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${content}`)
  await once(socket, 'connect')
  return socket
}

/** What is still there, and what comes until the run has ended or the connection has. */
async function readOn(socket: Socket): Promise<Frame[]> {
  socket.on('error', () => undefined)
  const parts: Buffer[] = []
  for await (const part of socket as AsyncIterable<Buffer>) {
    parts.push(part)
    if (part.includes('event: completed')) break
  }
  const frames = Buffer.concat(parts).toString().split('\n\n').slice(0, -1)
  return frames.flatMap((frame) => {
    const data = /^data: (.*)$/m.exec(frame)?.[1]
    return data === undefined ? [] : [JSON.parse(data) as Frame]
  })
}

// What the system keeps for two sockets, and a good deal more.
const text = Array.from({ length: CHARACTERS / 8 }, (_, index) => `${String(index).padStart(6, '0')}字 `).join('')

test(
  '[S18.12] [S10.9] a reader that is too far behind is disconnected, resumes, and has the complete text',
  { timeout: 120_000 },
  async () => {
    world().learn({ 'tell me all': [{ text, chunkChars: 40_000 }] })
    const body = { message: 'tell me all', sessionId: newSessionId(), messageId: 'm1' }
    const socket = await askWithoutReading(body)
    await world().provider.received(1)
    // Somebody else waits for the whole run meanwhile, and is not held up.
    const whole = () => world().rest('POST', '/api/agent/chat', { body })
    expect((await whole()).body['message'] === text).toBe(true)

    const seen = await readOn(socket)
    expect(seen.length).toBeGreaterThan(1)
    expect(seen.at(-1)!.type).toBe('content_chunk')
    expect(textIn(seen).length).toBeLessThan(text.length)
    await using again = await open(world(), body, { headers: { 'last-event-id': seen.at(-1)!.id } })
    const rest = await again.all()
    expect(textIn(seen) + textIn(rest) === text).toBe(true)
    expect(rest.at(-1)!.type).toBe('completed')

    // Whoever catches up is not behind, however slowly: all of it was there when it came.
    const late = await askWithoutReading(body, [`Last-Event-ID: ${seen[0]!.id}`])
    await whole()
    expect(textIn(await readOn(late)) === text).toBe(true)
  },
)

test('[S10.3] a run of more than ten thousand entries is told from its beginning, and from anywhere in it', async () => {
  const call = { name: 'Work', arguments: { name: 'ten thousand' } }
  world().learn({ 'on and on': [{ text: 'And ', calls: [call] }, { text: 'so on.' }] })
  const body = { message: 'on and on', sessionId: newSessionId(), messageId: 'm1' }
  await using stream = await open(world(), body)
  const first = await stream.until('content_chunk')
  await stream.until('tool_call_started')
  sayAgain(10_100)
  world().gates.open('ten thousand')
  const expected = `${'And '.repeat(10_101)}so on.`
  expect(textIn(await stream.all())).toBe(expected)
  expect(textIn(await ask(world(), body))).toBe(expected)
  await using again = await open(world(), body, { headers: { 'last-event-id': first.id } })
  expect(textIn([first, ...(await again.all())])).toBe(expected)
})

/** The text of the newest run, so many times more, as if it had taken minutes to say. */
function sayAgain(times: number): void {
  using database = new DatabaseSync(join(world().dataDir, 'parley.sqlite'), { timeout: 10_000 })
  database.exec('BEGIN IMMEDIATE')
  database
    .prepare(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?),
        said AS (SELECT * FROM events WHERE type = 'turn:patch' AND data LIKE '%text_delta":"And "%')
       INSERT INTO events (session_id, event_seq, at, run_id, loop_id, turn_id, type, data, batch)
       SELECT g.session_id, g.head + n, g.last_at, said.run_id, said.loop_id, said.turn_id, said.type, said.data, said.batch
       FROM numbers, said JOIN gates g ON g.session_id = said.session_id`,
    )
    .run(times)
  database.prepare(`UPDATE gates SET head = head + ? WHERE run_id IS NOT NULL`).run(times)
  database.exec('COMMIT')
}
