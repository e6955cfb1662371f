import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { signedHeaders } from '../../../src/tools/http/signature.ts'
import { World } from '../../wire/world.ts'
import { SECRET } from './receiver.ts'
import { toolOf } from './rig.ts'

// The receivers of examples/http-tool, as a newcomer starts them.

const directory = join(import.meta.dirname, '../../../../../examples/http-tool')
const schema = {
  type: 'object' as const,
  properties: { item: { type: 'string' }, count: { type: 'integer', minimum: 1 } },
  required: ['item', 'count'],
}
const RECEIVERS = [
  ['Node', process.execPath, 'receiver.mjs'],
  ['Python', 'python3', 'receiver.py'],
] as const
const has = (program: string, asked = '--version') => spawnSync(program, [asked]).status === 0
const isShell = has('curl') && has('openssl', 'version')

describe.each(RECEIVERS)('[W12.11] in %s', (_language, program, file) => {
  test.skipIf(!has(program)).each([SECRET, 'a secret that is plain text'])(
    'verifies what comes, does it once for each call, and leaves what is large for later',
    async (secret) => {
      await using receiver = await startReceiver(program, file, secret)
      const tool = toolOf('place_order', receiver.url, { schema, replay: 'keyed', secret })
      await using world = await World.open('sqlite', { httpTools: [tool] })
      const order = (count: number) => [
        { calls: [{ name: 'place_order', arguments: { item: 'tea', count } }] },
        { text: 'I see.' },
      ]
      world.learn({ small: order(2), large: order(11) })
      await using chat = await world.chat()
      const small = await chat.run('small')
      expect(small.end.status).toBe('completed')
      const calls = async () => (await chat.messages()).flatMap(({ tool_calls }) => tool_calls)
      const result = { order: 1, customer: null, item: 'tea', count: 2 }
      expect(await calls()).toMatchObject([{ status: 'done', result }])

      const { id } = (await calls())[0]!
      const body = JSON.stringify({ call_id: id, subject: null, arguments: { item: 'tea', count: 2 } })
      const now = Math.floor(Date.now() / 1_000)
      const post = async (seconds: number, key = secret, more: Record<string, string> = {}) => {
        const headers = { ...signedHeaders(key, { id, seconds, body }), ...more }
        const reply = await fetch(receiver.url, { method: 'POST', headers, body })
        return [reply.status, await reply.text()] as const
      }
      const [status, text] = await post(now)
      expect([status, JSON.parse(text)]).toEqual([200, { result }])
      for (const refused of [
        post(now, 'somebody else’s secret'),
        post(now - 301),
        post(now + 320),
        post(now, secret, { 'webhook-id': 'tc_other' }),
        post(now, secret, { 'webhook-signature': 'v1,' }),
        post(now, secret, { 'webhook-timestamp': 'now' }),
      ])
        expect((await refused)[0]).toBe(401)

      for (const headers of [
        { 'content-length': '1000' },
        { 'content-length': '2000000' },
        { 'transfer-encoding': 'chunked' },
        { 'content-length': '4', 'webhook-signature': 'v1,\u00e9'.padEnd(47, '\u00e9') },
      ])
        await hangUp(receiver.url, headers)
      expect(await statusOfLength(receiver.url, '2000000')).toBe(413)
      expect((await post(now))[0], 'it lives on').toBe(200)

      if (!isShell) return
      const ack = await chat.send('large')
      const url = await receiver.said(/^later (.*)$/)
      const brought = '{"result": {"order": "by hand, 茶"}}'
      const env = { PATH: process.env['PATH'], SECRET: secret }
      const { stdout } = await promisify(execFile)('sh', [join(directory, 'later.sh'), url, brought], { env })
      expect(stdout).toBe('204\n')
      await chat.ended(ack)
      expect((await calls()).at(-1)).toMatchObject({ status: 'done', result: { order: 'by hand, 茶' } })
    },
  )
})

test('[W12.11] the receivers are as short as the README says, and its configuration is one', () => {
  for (const file of ['receiver.mjs', 'receiver.py', 'later.sh'])
    expect(readFileSync(join(directory, file), 'utf8').match(/^.*\S.*$/gm)!.length, file).toBeLessThanOrEqual(36)
  const [, config = ''] = /```json\n([^]*?)```/.exec(readFileSync(join(directory, 'README.md'), 'utf8')) ?? []
  expect(JSON.parse(config)).toMatchObject({ httpTools: [{ schema, replay: 'keyed' }] })
})

/** Begins to send, and is gone. */
async function hangUp(url: string, headers: OutgoingHttpHeaders): Promise<void> {
  const sent = request(url, { method: 'POST', headers })
  sent.on('error', () => undefined)
  await new Promise((resolve) => sent.write('{', resolve))
  await new Promise((resolve) => sent.once('close', resolve).destroy())
}

/** What a receiver says to more than it takes, before it has come. */
async function statusOfLength(url: string, length: string): Promise<number | undefined> {
  const sent = request(url, { method: 'POST', headers: { 'content-length': length } })
  sent.on('error', () => undefined)
  sent.write('{')
  const [reply] = (await once(sent, 'response')) as [IncomingMessage]
  sent.destroy()
  return reply.statusCode
}

async function startReceiver(program: string, file: string, secret: string) {
  const child = spawn(program, [join(directory, file)], {
    env: { PATH: process.env['PATH'], SECRET: secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const lines: string[] = []
  const reader = createInterface(child.stdout)
  reader.on('line', (line) => lines.push(line))
  const said = async (wanted: RegExp): Promise<string> => {
    for (;;) {
      const found = lines.map((line) => wanted.exec(line)?.[1]).find((text) => text !== undefined)
      if (found !== undefined) return found
      await once(reader, 'line')
    }
  }
  return {
    said,
    url: `http://127.0.0.1:${await said(/^ready (\d+)$/)}/`,
    async [Symbol.asyncDispose]() {
      child.kill()
      await once(child, 'exit')
    },
  }
}
