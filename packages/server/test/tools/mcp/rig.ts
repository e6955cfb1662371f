import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock, JsonObject, JsonValue, ToolOutput } from '../../../src/ports.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { openSqlite } from '../../../src/store/sqlite/engine.ts'
import type { ToolContext } from '../../../src/tools/define-tool.ts'
import { mcpServersSchema } from '../../../src/tools/mcp/config.ts'
import { McpServers, type McpServersOptions } from '../../../src/tools/mcp/mcp-servers.ts'

export const clock: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
}

/** Configured servers on a real database, and a workspace for their results. */
export class Rig implements AsyncDisposable {
  readonly directory: string
  readonly engine: Engine
  readonly servers: McpServers
  readonly warnings: string[] = []
  /** Calls that got no answer. */
  readonly failures: string[] = []
  readonly infos: string[] = []
  readonly notifications: JsonObject[] = []

  private constructor(directory: string, engine: Engine, options: Partial<McpServersOptions> & { config: unknown }) {
    this.directory = directory
    this.engine = engine
    const { config, ...rest } = options
    this.servers = new McpServers({
      servers: mcpServersSchema.parse(config),
      engine,
      clock,
      environment: process.env,
      leaseMs: 10_000,
      version: '0.0.0',
      onWarning: (message) => this.warnings.push(message),
      onDown: (server, reason) => this.warnings.push(`"${server}" is down: ${reason}`),
      onCallFailed: (server, said) => this.failures.push(`${server}: ${said}`),
      onInfo: (message) => this.infos.push(message),
      backOffMs: { min: 50, max: 200 },
      ...rest,
    })
  }

  static async open(config: unknown, options: Partial<McpServersOptions> = {}): Promise<Rig> {
    const directory = await mkdtemp(join(tmpdir(), 'parley-mcp-'))
    const engine = options.engine ?? (await openSqlite({ directory: ':memory:', now: Date.now }))
    const rig = new Rig(directory, engine, { ...options, config })
    await rig.servers.allTried()
    return rig
  }

  async call(name: string, input: JsonValue = {}, signal: AbortSignal = new AbortController().signal) {
    const tool = this.servers.tools().find((each) => each.name === name)
    if (!tool) throw new Error(`${name} is not offered; ${this.names().join(', ')} are. ${this.warnings.join(' ')}`)
    return tool.run(input, this.context(signal)) satisfies Promise<ToolOutput>
  }

  context(signal: AbortSignal = new AbortController().signal): ToolContext {
    return {
      session_id: 'sess_1',
      tool_call_id: 'call_1',
      attempt: 1,
      subject: null,
      workspace: this.directory,
      env: {},
      signal,
      notify: (_event, payload) => this.notifications.push(payload),
    }
  }

  names(): string[] {
    return this.servers.tools().map(({ name }) => name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.servers[Symbol.asyncDispose]()
    await this.engine[Symbol.asyncDispose]()
    await rm(this.directory, { recursive: true, force: true })
  }
}

/** Polls until the value is there; says what was last seen when time is up. */
export async function eventually<T>(look: () => T | undefined | false | Promise<T | undefined | false>, ms = 10_000) {
  for (const until = Date.now() + ms; ; await delay(20)) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    if (Date.now() > until) throw new Error(`It did not happen within ${ms} ms: ${String(look)}`)
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

export type SmallServer = AsyncDisposable & {
  config: { command: string; args: string[] }
  describe(text: string): Promise<void>
  /** Annotations of `greet`. */
  hint(annotations: object): Promise<void>
  cancelledFile: string
}

/** The configuration of `workers/small-server.ts`, with its files. */
export async function smallServer(): Promise<SmallServer> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-mcp-small-'))
  const describe = (text: string) => writeFile(join(directory, 'description'), text)
  await describe('Greets somebody.')
  const program = join(import.meta.dirname, 'workers/small-server.ts')
  const cancelledFile = join(directory, 'cancelled')
  return {
    config: { command: process.execPath, args: [program, join(directory, 'description'), cancelledFile] },
    describe,
    hint: (annotations) => writeFile(join(directory, 'description.hints'), JSON.stringify(annotations)),
    cancelledFile,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}
