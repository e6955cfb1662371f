import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatEndPayload, TurnProjection } from '@parley/protocol'
import { type NodeProcess, startNode } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectClient } from '../face/client.ts'
import { type Flood, startFlood } from './flood.ts'

const MB = 1_000_000
const KEY = 'sk-flood-0123456789012345678901234567'
const PIECE = 'lorem ipsum dolor sit amet '.repeat(40).slice(0, 1_000)

function* flood(bytes: number, delta: (piece: string) => object): Generator<object> {
  for (let sent = 0; sent < bytes; sent += PIECE.length) yield delta(PIECE)
}

const call = (index: number, text: string) => ({
  tool_calls: [{ index, id: `c${index}`, function: { name: 'Read', arguments: text } }],
})

const FLOODS = {
  '60 MB of text': () => flood(60 * MB, (content) => ({ content })),
  '60 MB of thinking': () => flood(60 * MB, (reasoning_content) => ({ reasoning_content })),
  '60 MB of arguments of one call': () => flood(60 * MB, (piece) => call(0, piece)),
  '100 000 calls': function* () {
    for (let index = 0; index < 100_000; index++) yield call(index, '{}')
  },
  '500 000 parts of one character': function* () {
    for (let part = 0; part < 500_000; part++) yield part % 2 ? { content: 'a' } : { reasoning_content: 'b' }
  },
  'one event of 15 MB': () => [{ content: 'x'.repeat(15 * MB) }],
}

/** The server as it ships, in a process of its own: what a provider sends must not become its memory. */
describe('[D7] a provider that does not stop', () => {
  const parts = new AsyncDisposableStack()
  let provider: Flood
  let server: NodeProcess
  let url: string

  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'parley-flood-'))
    parts.defer(() => rm(directory, { recursive: true, force: true }))
    provider = parts.use(await startFlood(FLOODS))
    server = parts.use(
      startNode(join(import.meta.dirname, '../../src/main.ts'), [], {
        env: {
          PARLEY_DATA_DIR: directory,
          PARLEY_PORT: '0',
          PARLEY_OWNER_KEY: KEY,
          PARLEY_LANGUAGE: 'en',
          PARLEY_MODEL_URL: provider.url,
          PARLEY_MODEL: 'flood',
        },
      }),
    )
    url = (await server.line(/listening on (http:\/\/[\d.:]+)/))[1]!
  })
  afterAll(() => parts.disposeAsync())

  test.each(Object.keys(FLOODS))(
    'of %s: the answer is cut, the server answers others meanwhile, and its memory stays what it was',
    { timeout: 60_000 },
    async (question) => {
      const session_id = (await rest<{ session_id: string }>('POST', '/api/sessions', {})).session_id
      await using client = await connectClient(url, { token: KEY })
      await client.ask('session:subscribe', { session_id })
      const before = await peakMb(server.pid)
      const isOver = client.until('chat:end')
      await client.ask('chat:send', { session_id, message: question })
      const health = await answersUntil(isOver)
      const end = (await isOver).payload as ChatEndPayload
      expect(end).toMatchObject({ status: 'completed', finish_reason: 'completed', cut: 'length' })
      expect(health).toBeGreaterThan(0)
      expect((await peakMb(server.pid)) - before).toBeLessThan(150)
      if (question !== 'one event of 15 MB') expect(provider.sentBytes(question)).toBeLessThan(30 * MB)
      const turns = await rest<TurnProjection[]>('GET', `/api/sessions/${session_id}/messages`)
      expect(turns.map(({ role, status }) => `${role} ${status}`)).toEqual([
        'user completed',
        'assistant completed',
        'system completed',
      ])
    },
  )

  async function rest<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = { authorization: `Bearer ${KEY}`, ...(body && { 'content-type': 'application/json' }) }
    const reply = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    expect(reply.status).toBeLessThan(300)
    return (await reply.json()) as T
  }

  /** How often `/api/health` said that all is well. */
  async function answersUntil(over: Promise<unknown>): Promise<number> {
    let isOver = false
    void over.then(() => (isOver = true))
    let answers = 0
    do {
      const { ok } = await fetch(`${url}/api/health`)
      if (ok) answers++
    } while (!isOver)
    return answers
  }
})

/** The most that the process ever held, in megabytes. */
async function peakMb(pid: number): Promise<number> {
  return Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}
