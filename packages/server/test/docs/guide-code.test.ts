import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { startNode } from '@parley/testkit'
import { expect, test } from 'vitest'
import { optionsSchema } from '../../src/config/options.ts'
import { OWNER_KEY, sharedWorld } from '../wire/world.ts'
import { GUIDE } from './guide-pages.ts'

const CODE = join(GUIDE, 'code')
const world = sharedWorld()

/** How each file of the guide is run. A new one fails until somebody has said how. */
const RUNS: Record<string, () => Promise<void>> = {
  async 'first-session.sh'() {
    world().learn({ Hello: [{ text: 'Good day.' }], 'Hello again': [{ text: 'Good day again.' }] })
    const said = await runFile('sh', ['-eu', join(CODE, 'first-session.sh')])
    expect(said).toMatch(/Good day\.[^]*event: chat:end[^]*Good day again\./)
  },
  async 'hello.mjs'() {
    const said = await runFile(process.execPath, ['--conditions=parley-source', join(CODE, 'hello.mjs')])
    expect(said).toMatch(/^Good day\.\ncompleted, \d+ tokens\n$/)
  },
  async 'usage.sh'() {
    expect(await runFile('sh', ['-eu', join(CODE, 'usage.sh')])).toMatch(/"timezone":"Asia\/Shanghai"[^]*"items":\[/)
  },
  async 'order-status.ts'() {
    const said = await runFile(process.execPath, ['--conditions=parley-source', join(CODE, 'order-status.ts')])
    expect(said).toMatch(/status: 'done'[^]*customer: 'customer 7'/)
  },
  async 'parley.config.ts'() {
    const { default: config } = (await import(join(CODE, 'parley.config.ts'))) as { default: unknown }
    expect(optionsSchema.parse(config)).toMatchObject({ models: [{ price: { input: 0.2 } }] })
  },
  async 'token-server.mjs'() {
    const env = { PARLEY_URL: world().url, PARLEY_KEY: OWNER_KEY, PORT: '0' }
    await using server = startNode(join(CODE, 'token-server.mjs'), [], { env })
    const [, port] = await server.line(/Tokens at port (\d+)/)
    const reply = await fetch(`http://127.0.0.1:${port}/chat-token`, { method: 'POST' })
    const { token } = (await reply.json()) as { token: string }
    const me = await world().rest('GET', '/api/auth/me', { token })
    expect(me).toMatchObject({ status: 200, body: { username: 'user-42' } })
  },
  /** `chatkit/test/browser/guide.test.ts` opens it. */
  'page.html': async () => {},
  /** `npm run check` compiles it, as part of tsconfig.tests.json. */
  'chat.tsx': async () => {},
}

test('[W12.9] every file of the guide is run or compiled', () => {
  expect(readdirSync(CODE).toSorted()).toEqual(Object.keys(RUNS).toSorted())
})

test.each(Object.entries(RUNS))('[W12.9] %s does what the guide says', async (_name, run) => run())

async function runFile(program: string, args: string[]): Promise<string> {
  const env = { ...process.env, PARLEY_URL: world().url, PARLEY_KEY: OWNER_KEY }
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [said, complained] = await Promise.all([child.stdout, child.stderr].map((stream) => stream.toArray()))
  const code = child.exitCode ?? (await new Promise((resolve) => child.once('close', resolve)))
  expect([code, Buffer.concat(complained as Buffer[]).toString()]).toEqual([0, ''])
  return Buffer.concat(said as Buffer[]).toString()
}
