import { once } from 'node:events'
import { createServer } from 'node:net'
import type { CrashPossibility } from '@parley/protocol/rest'
import type { NodeProcess } from '@parley/testkit'
import { ParleyClient } from '../../../client/src/index.ts'
import { json, listening } from './home.ts'
import { superviseServer } from './supervise.ts'

const KEY = 'sk-for-the-tests-of-the-crash-0123456789'
export const HEADERS = { authorization: `Bearer ${KEY}` }
export const CRASH = '/api/demo/crash'

export type Demo = AsyncDisposable & {
  url: string
  supervisor: NodeProcess
  client: ParleyClient
  possibility: () => Promise<CrashPossibility>
  crash: () => Promise<{ status: number; body: object }>
}

type Settings = Omit<Parameters<typeof superviseServer>[0], 'home'>

/** A supervised server with the demo model, always on the same port, as a server is that people know the address of. */
export async function startDemo(home: string, { env = {}, ...more }: Settings = {}): Promise<Demo> {
  const port = String(await freePort())
  const supervisor = superviseServer({ home, env: { PARLEY_PORT: port, PARLEY_OWNER_KEY: KEY, ...env }, ...more })
  const url = (await listening(supervisor)).replace('localhost', '127.0.0.1')
  return {
    url,
    supervisor,
    client: new ParleyClient({ baseUrl: url, token: KEY, language: 'en' }),
    possibility: async () => (await json(url + CRASH, HEADERS).catch(() => undefined)) as CrashPossibility,
    async crash() {
      const answer = await fetch(url + CRASH, { method: 'POST', headers: HEADERS })
      return { status: answer.status, body: (await answer.json()) as object }
    },
    [Symbol.asyncDispose]: () => supervisor[Symbol.asyncDispose](),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
