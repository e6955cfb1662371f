import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFakeModel, startNode } from '@parley/testkit'
import { test } from 'vitest'
import type { ServerOptions } from '../../src/config/options.ts'
import { isAlive, until } from '../sandbox/rig.ts'
import { postgresPlace } from '../store/place.ts'
import { freePort, KEY, LEASE_MS, watch } from './arena.ts'
import { caller } from './real-tools.ts'

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
const program = join(import.meta.dirname, '../../src/main.ts')

test.each(['sqlite', 'postgres'] as const)(
  '[D3] on %s, after SIGSTOP and after SIGKILL of the whole server, no command, background task or MCP server of it, nor what they started, lives past lease + 1 s',
  { timeout: 900_000 },
  async (kind) => {
    await using parts = new AsyncDisposableStack()
    const directory = await mkdtemp(join(tmpdir(), 'parley-descendants-'))
    parts.defer(() => rm(directory, { recursive: true, force: true }))
    const provider = parts.use(await startFakeModel(caller))
    const place = kind === 'postgres' ? parts.use(await postgresPlace()) : undefined
    const token = `${Math.random()}`.slice(2, 12)
    const named = (digit: number) => `9${digit}.${token}`
    // A minute and a half each, whatever happens; the first leaves its parent, its group and its session.
    const sleeps = (digit: number, last: string) =>
      `(setsid setsid sleep ${named(digit)} &); ${last} sleep ${named(digit + 1)}`
    const port = await freePort()
    const options: ServerOptions = {
      port,
      dataDir: join(directory, 'data'),
      ...(place && { databaseUrl: place.at }),
      ownerKey: KEY,
      leaseMs: LEASE_MS,
      language: 'en',
      modelUrl: provider.url,
      model: 'fake-model',
      policy: { rules: [{ tool: 'Bash', decision: 'allow' }], headless: 'fail', confirmationMinutes: 15 },
      mcpServers: {
        real: { command: process.execPath, args: [everything, 'stdio', named(7)] },
        // Deaf to the end of its input, as a program may be that never learned to listen.
        deaf: { command: 'bash', args: ['-c', sleeps(5, 'exec')] },
      },
    }
    await writeFile(join(directory, 'parley.config.json'), JSON.stringify(options))
    const server = parts.use(startNode(program, [], { env: { PARLEY_LOG_LEVEL: 'info' }, cwd: directory }))
    await server.line(/is listening on/)
    const url = `http://127.0.0.1:${port}`
    const all = [1, 2, 3, 4, 5, 6, 7].map(named)
    for (const signal of ['SIGSTOP', 'SIGKILL'] as const) {
      await begin(url, { command: sleeps(1, '') })
      await begin(url, { command: sleeps(3, ''), run_in_background: true })
      // The second time after a thaw: a server that wakes has its MCP servers back after a moment.
      await until(() => all.every((each) => isAlive(each)), 120_000, 'all are alive')
      server.signal(signal)
      if (signal === 'SIGSTOP') await server.frozen()
      await until(() => !isAlive(token, server.pid), LEASE_MS + 1_000, `after ${signal}: all are gone`)
      server.signal('SIGCONT')
    }
  },
)

/** Has the model run a command in a session of its own. */
async function begin(url: string, input: object): Promise<void> {
  const reply = await fetch(`${url}/api/sessions`, { method: 'POST', headers: { authorization: `Bearer ${KEY}` } })
  const { session_id } = (await reply.json()) as { session_id: string }
  using witness = watch(() => url, session_id)
  await witness.send({ message: JSON.stringify({ name: 'Bash', arguments: input }) })
}
