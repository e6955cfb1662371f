import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatEndPayload } from '@parley/protocol'
import { type NodeProcess, startFakeModel, startNode } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectClient } from '../face/client.ts'

const KEY = 'sk-calls-0123456789012345678901234567'

/** Tools of an operator that throw where nobody can catch it: after the call, beside it, or when it is stopped. */
const CONFIG = `
const never = () => new Promise(() => undefined)
const fail = () => { throw new Error('a bug of the operator') }
const tool = (name, invoke) => ({ name, description: name, schema: { type: 'object', properties: {} }, invoke })
export default {
  langchainTools: [
    tool('Timer', () => { setTimeout(fail, 1); return never() }),
    tool('Immediate', () => { setImmediate(fail); return never() }),
    tool('Rejection', () => { void Promise.reject(new Error('a bug of the operator')); return never() }),
    tool('Socket', async () => {
      const { createServer } = await import('node:http')
      const server = createServer((_, reply) => reply.end('x')).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const { get } = await import('node:http')
      get({ port: server.address().port, host: '127.0.0.1' }, (reply) => reply.on('data', fail)).on('error', () => {})
      return never()
    }),
    tool('Abort', (_, { signal }) => { signal.addEventListener('abort', fail); return never() }),
    tool('Late', async () => { setTimeout(fail, 300); return 'done' }),
  ],
}
`

describe('[D7] an exception in a run’s own callbacks fails that run, never the process', () => {
  const parts = new AsyncDisposableStack()
  let server: NodeProcess
  let url: string

  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'parley-callbacks-'))
    parts.defer(() => rm(directory, { recursive: true, force: true }))
    await writeFile(join(directory, 'parley.config.js'), CONFIG)
    await writeFile(join(directory, 'package.json'), '{"type":"module"}')
    const provider = parts.use(
      await startFakeModel(({ question, results }) =>
        results.length > 0 || question === 'Hello' ? { text: 'Done.' } : { calls: [{ name: question, arguments: {} }] },
      ),
    )
    const environment = {
      PARLEY_DATA_DIR: join(directory, 'data'),
      PARLEY_PORT: '0',
      PARLEY_OWNER_KEY: KEY,
      PARLEY_LANGUAGE: 'en',
      PARLEY_MODEL_URL: provider.url,
      PARLEY_MODEL: 'fake-model',
    }
    server = parts.use(
      startNode(join(import.meta.dirname, '../../src/main.ts'), [], { env: environment, cwd: directory }),
    )
    url = (await server.line(/listening on (http:\/\/[\d.:]+)/))[1]!
  })
  afterAll(() => parts.disposeAsync())

  test.each(['Timer', 'Immediate', 'Rejection', 'Socket'])('%s', async (tool) => {
    expect(await run(tool)).toMatchObject({ status: 'failed', error: { code: 'internal_error' } })
    expect(await run('Hello')).toMatchObject({ status: 'completed' })
  })

  test('one that throws when it is stopped is stopped all the same', async () => {
    const end = await run('Abort', async (client, session_id) => {
      await client.until(({ name, payload }) => name === 'turn:patch' && payload['patch_type'] === 'add_tool_call')
      await client.ask('chat:stop', { session_id })
    })
    expect(end).toMatchObject({ status: 'interrupted' })
    expect(await run('Hello')).toMatchObject({ status: 'completed' })
  })

  test('one that throws when its run is over harms nobody', async () => {
    expect(await run('Late')).toMatchObject({ status: 'completed' })
    await server.line(/a callback of a run threw.*/)
    expect(await run('Hello')).toMatchObject({ status: 'completed' })
  })

  async function run(
    message: string,
    meanwhile?: (client: Awaited<ReturnType<typeof connectClient>>, session_id: string) => Promise<void>,
  ): Promise<ChatEndPayload> {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const reply = await fetch(`${url}/api/sessions`, { method: 'POST', headers, body: '{}' })
    const { session_id } = (await reply.json()) as { session_id: string }
    await using client = await connectClient(url, { token: KEY })
    await client.ask('session:subscribe', { session_id })
    await client.ask('chat:send', { session_id, message })
    await meanwhile?.(client, session_id)
    return (await client.until('chat:end')).payload as ChatEndPayload
  }
})
