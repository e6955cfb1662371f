import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { JsonObject, JsonValue } from '../../../src/ports.ts'
import { openSandbox } from '../../../src/sandbox/open-sandbox.ts'
import { noSandbox } from '../../../src/sandbox/no-sandbox.ts'
import { LIMITS, type Sandbox, SYSTEM_PATH } from '../../../src/sandbox/sandbox.ts'
import type { ToolDefinition } from '../../../src/tools/define-tool.ts'
import { fileTools } from '../../../src/tools/file-ops/file-tools.ts'
import { Searches } from '../../../src/tools/file-ops/searches.ts'

export type Told = { event: string; payload: JsonObject }

/** A workspace, and what is special about this use of it. */
export type Place = { workspace: string; signal?: AbortSignal; told?: Told[]; sandbox?: Sandbox }

const bare = noSandbox({ limits: LIMITS, groups: undefined, path: SYSTEM_PATH, reason: 'switched off' })
const toolsIn = new WeakMap<Sandbox, ToolDefinition[]>()

/** Calls a tool as a run does: arguments checked first. */
export async function use(place: string | Place, name: string, input: JsonObject): Promise<JsonValue> {
  const {
    workspace,
    signal = AbortSignal.timeout(10_000),
    told = [],
    sandbox = bare,
  } = typeof place === 'string' ? { workspace: place } : place
  const tools = toolsIn.get(sandbox) ?? fileTools(new Searches({ sandbox, leaseMs: 5_000 }))
  toolsIn.set(sandbox, tools)
  const tool = tools.find((known) => known.name === name)!
  const checked = await tool.check(input)
  if (!checked.ok) throw new Error(checked.message)
  const { result } = await tool.run(checked.value, {
    session_id: 'sess_1',
    tool_call_id: 'tc_1',
    attempt: 1,
    subject: null,
    workspace,
    env: {},
    signal,
    notify: (event, payload) => told.push({ event, payload }),
  } as Parameters<typeof tool.run>[1])
  return result
}

/** A directory with these files, gone afterwards. */
export async function workspaceWith(
  files: Record<string, string | Buffer> = {},
): Promise<{ path: string } & AsyncDisposable> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'parley-files-')))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), content)
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** The best sandbox of this machine; `none` where it has none. */
export async function sandboxHere(): Promise<{ sandbox: Sandbox } & AsyncDisposable> {
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), 'parley-data-')))
  const sandbox = await openSandbox({ dataDir })
  return {
    sandbox,
    async [Symbol.asyncDispose]() {
      await sandbox.close?.()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
