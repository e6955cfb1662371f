import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerOptions } from '../../src/config/options.ts'
import { type FakeChoice, type FakeModel, type NodeProcess, startFakeModel, startNode } from '@parley/testkit'
import { postgresPlace } from '../store/place.ts'
import { conversation } from './conversation.ts'
import type { KillOrder } from './kill-order.ts'
import { Witness } from './witness.ts'

export const KEY = 'sk-crash-0123456789012345678901234567'
export const LEASE_MS = 1_500

export type StartOptions = Partial<KillOrder> & {
  port: number
  options?: ServerOptions
  env?: Record<string, string>
  databaseUrl?: string | undefined
}

type ArenaParts = {
  kind: 'sqlite' | 'postgres'
  directory: string
  provider: FakeModel
  databaseUrl: string | undefined
  close: () => Promise<void>
}

/** A place where servers are killed: one database, one provider, one file of marks, and servers that come and go. */
export class Arena implements AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres'
  readonly directory: string
  readonly #provider: FakeModel
  readonly databaseUrl: string | undefined
  readonly #close: () => Promise<void>
  readonly #servers: NodeProcess[] = []

  constructor({ kind, directory, provider, databaseUrl, close }: ArenaParts) {
    this.kind = kind
    this.directory = directory
    this.#provider = provider
    this.databaseUrl = databaseUrl
    this.#close = close
  }

  /** Starts a server; with `kill`, one that ends itself there. A port may be taken again, so that clients find it. */
  async start({
    port,
    kill,
    nth,
    holds,
    options = {},
    env = {},
    databaseUrl = this.databaseUrl,
  }: StartOptions): Promise<NodeProcess> {
    if (kill) this.order(port, { kill, ...(nth && { nth }), ...(holds && { holds }) })
    const server = startNode(join(import.meta.dirname, 'entry.ts'), [], {
      env: {
        PARLEY_DATA_DIR: this.directory,
        PARLEY_PORT: String(port),
        PARLEY_OWNER_KEY: KEY,
        PARLEY_LEASE_MS: String(LEASE_MS),
        PARLEY_MODEL_URL: this.#provider.url,
        PARLEY_MODEL: 'fake-model',
        PARLEY_LANGUAGE: 'en',
        PARLEY_LOG_LEVEL: 'warn',
        PARLEY_DRAIN_MS: '300',
        PARLEY_SECRET: 'a secret for tests that nobody needs to know',
        COUNTER_FILE: this.#counterFile,
        ...(databaseUrl && { PARLEY_DATABASE_URL: databaseUrl }),
        OPTIONS: JSON.stringify(options),
        KILL_FILE: this.#killFile(port),
        CLOCK_FILE: this.#clockFile(port),
        ...env,
      },
    })
    this.#servers.push(server)
    await server.line(/^ready /)
    return server
  }

  /** The server at this port shall end itself there. It may be running already. */
  order(port: number, { kill, nth = 1, holds = false }: Partial<KillOrder> & Pick<KillOrder, 'kill'>): void {
    writeFileSync(this.#killFile(port), JSON.stringify({ kill, nth, holds } satisfies KillOrder))
  }

  /** Nobody ends there any more. */
  revoke(port: number): void {
    rmSync(this.#killFile(port), { force: true })
  }

  /** Sets the wall clock of the server at this port so far from the true time, forward or back. */
  async setClock(port: number, server: NodeProcess, ms: number): Promise<void> {
    writeFileSync(this.#clockFile(port), String(ms))
    server.signal('SIGUSR2')
    await server.line(new RegExp(`^clock ${ms}$`))
  }

  /** How often each mark was left outside the database. */
  marks(): Map<string, number> {
    const marks = new Map<string, number>()
    if (!existsSync(this.#counterFile)) return marks
    for (const line of readFileSync(this.#counterFile, 'utf8').split('\n').filter(Boolean))
      marks.set(line, (marks.get(line) ?? 0) + 1)
    return marks
  }

  async newSession(url: string): Promise<string> {
    const reply = await fetch(`${url}/api/sessions`, { method: 'POST', headers: { authorization: `Bearer ${KEY}` } })
    return ((await reply.json()) as { session_id: string }).session_id
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) await server[Symbol.asyncDispose]()
    await this.#provider.close()
    await this.#close()
    await rm(this.directory, { recursive: true, force: true })
  }

  #killFile(port: number): string {
    return join(this.directory, `kill-${port}.json`)
  }

  #clockFile(port: number): string {
    return join(this.directory, `clock-${port}.txt`)
  }

  get #counterFile(): string {
    return join(this.directory, 'marks.txt')
  }
}

export async function openArena(kind: 'sqlite' | 'postgres', model: FakeChoice = conversation): Promise<Arena> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-crash-'))
  const provider = await startFakeModel(model)
  if (kind === 'sqlite')
    return new Arena({ kind, directory, provider, databaseUrl: undefined, close: async () => undefined })
  const place = await postgresPlace()
  return new Arena({
    kind,
    directory,
    provider,
    databaseUrl: place.at,
    close: async () => place[Symbol.asyncDispose](),
  })
}

export function watch(url: () => string, session_id: string): Witness {
  return new Witness(url, KEY, session_id)
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
