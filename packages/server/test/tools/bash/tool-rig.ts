import { InstanceWatch, startInstance } from '../../../src/store/instances.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock, Ids, JsonObject, JsonValue } from '../../../src/ports.ts'
import { openSandbox } from '../../../src/sandbox/open-sandbox.ts'
import type { Sandbox, SandboxLevel } from '../../../src/sandbox/sandbox.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { BackgroundTasks } from '../../../src/background/background-tasks.ts'
import { bashOutput, killBash } from '../../../src/background/background-tools.ts'
import { bash } from '../../../src/tools/bash/bash.ts'
import type { ToolDefinition } from '../../../src/tools/define-tool.ts'
import { journalOf } from '../../store/fixtures.ts'

// The tools as a session has them, on a real database and in the best sandbox of this machine.

export const LEASE_MS = 2_000

export const clock: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
}
const ids: Ids = { next: (prefix) => `${prefix}_${randomBytes(12).toString('hex')}` }

export type ToolRig = AsyncDisposable & {
  directory: string
  sandbox: Sandbox
  tasks: BackgroundTasks
  tools: ToolDefinition[]
  /** Another server process on the same database. */
  instance: (name: string) => BackgroundTasks
  call: (name: string, input: JsonObject, options?: CallOptions) => Promise<JsonValue>
  errors: unknown[]
}

export type CallOptions = { session_id?: string; signal?: AbortSignal; env?: Record<string, string> }

export async function openTools(
  engine: Engine,
  session_id: string,
  {
    best = 'sandbox-runtime',
    leaseMs = LEASE_MS,
    ...limit
  }: { best?: SandboxLevel; leaseMs?: number; timeLimitMs?: number } = {},
): Promise<ToolRig> {
  const directory = await mkdtemp(join(await realpath(tmpdir()), 'parley-bash-'))
  const sandbox = await openSandbox({ dataDir: directory, best })
  const errors: unknown[] = []
  const beats: AsyncDisposable[] = []
  const watch = new InstanceWatch({
    engine,
    leaseMs,
    monotonicNow: () => performance.now(),
    onError: (error) => errors.push(error),
  })
  const instance = (name: string) => {
    void startInstance({
      engine,
      id: name,
      leaseMs,
      offer: () => ({ models: [], tools: [] }),
      onError: (error) => errors.push(error),
    }).then((beat) => beats.push(beat))
    return new BackgroundTasks({
      engine,
      journal: journalOf(engine),
      clock,
      ids,
      sandbox,
      instance: name,
      instances: watch,
      leaseMs,
      ...limit,
      directory: join(directory, 'background'),
      onError: (error) => errors.push(error),
    })
  }
  const tasks = instance(`one-${randomUUID()}`)
  const tools = [bash({ sandbox, background: tasks, leaseMs }), bashOutput(tasks), killBash(tasks)]
  return {
    directory,
    sandbox,
    tasks,
    tools,
    instance,
    errors,
    async call(
      name,
      input,
      { session_id: session = session_id, signal = new AbortController().signal, env = {} } = {},
    ) {
      const tool = tools.find((one) => one.name === name)!
      const checked = await tool.check(input)
      if (!checked.ok) throw new Error(checked.message)
      const workspace = join(directory, 'workspaces', session)
      await mkdir(workspace, { recursive: true, mode: 0o700 })
      const context = {
        session_id: session,
        tool_call_id: 'call_1',
        attempt: 1,
        subject: null,
        workspace,
        env,
        signal,
        notify: () => undefined,
      }
      return (await tool.run(checked.value, context as Parameters<ToolDefinition['run']>[1])).result
    },
    async [Symbol.asyncDispose]() {
      await tasks[Symbol.asyncDispose]()
      watch[Symbol.dispose]()
      for (const beat of beats) await beat[Symbol.asyncDispose]()
      await sandbox.close?.()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
