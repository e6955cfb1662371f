import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { JsonObject, JsonValue } from '../../../src/ports.ts'
import { fileTools } from '../../../src/tools/file-ops/file-tools.ts'

export type Told = { event: string; payload: JsonObject }

export type UseOptions = { signal?: AbortSignal; told?: Told[] }

/** Calls a tool as a run does: arguments checked first. */
export async function use(
  workspace: string,
  name: string,
  input: JsonObject,
  { signal = AbortSignal.timeout(10_000), told = [] }: UseOptions = {},
): Promise<JsonValue> {
  const tool = fileTools.find((known) => known.name === name)!
  const checked = tool.check(input)
  if (!checked.ok) throw new Error(checked.message)
  const { result } = await tool.run(checked.value, {
    session_id: 'sess_1',
    tool_call_id: 'tc_1',
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
