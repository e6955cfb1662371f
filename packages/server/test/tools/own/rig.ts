import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ownEnvironment } from '../../../src/tools/own/own-environment.ts'
import { ToolProcesses } from '../../../src/tools/own/tool-processes.ts'

export type Files = Record<string, string>

/** A folder with files, outside of everything that has packages. */
export async function folderWith(
  files: Files,
): Promise<AsyncDisposable & { path: string; at: (name: string) => string }> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'parley-own-')))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), text)
  }
  return {
    path,
    at: (name) => join(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

type Options = { importMs?: number; idleMs?: number; onSaid?: () => void }

export function openProcesses({ onSaid, ...times }: Options = {}): ToolProcesses & { said: string[] } {
  const said: string[] = []
  const processes = new ToolProcesses({
    environment: ownEnvironment(process.env),
    leaseMs: 3_000,
    onSaid: (line, tool) => {
      said.push(`${tool}: ${line}`)
      onSaid?.()
    },
    ...times,
  })
  return Object.assign(processes, { said })
}

/** A tool's source: one that does what `run` says. */
export function toolText(name: string, run: string, more = ''): string {
  return `defineTool({ name: '${name}', description: 'Does it.', input: z.object({}), ${more} run: ${run} })`
}

export const IMPORTS = `import { defineTool } from '@parley/tools'\nimport { z } from 'zod'\n`

/** What the module itself starts, when it is imported, is no call's: an interval, a server that answers. */
const HEAD = `${IMPORTS}
import fs from 'node:fs'
import net from 'node:net'
import http from 'node:http'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { execFile, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
setInterval(() => 1, 1_000)
const server = http.createServer((_request, response) => response.writeHead(200, { connection: 'close' }).end('ok'))
await once(server.listen(0, '127.0.0.1'), 'listening')
const { port } = server.address()
const url = 'http://127.0.0.1:' + port
const connected = () => once(net.connect(port, '127.0.0.1'), 'connect')
`

/** Tools of one file, called one after the other, each in the last one's process if that is still of use. */
export async function openTools(
  runs: Record<string, string>,
  { head = '', ...options }: Options & { head?: string } = {},
) {
  const parts = new AsyncDisposableStack()
  const tools = Object.entries(runs).map(([name, run]) => toolText(name, run, 'timeoutMs: 5_000,'))
  const folder = parts.use(await folderWith({ 'tools.ts': `${HEAD}${head}\nexport default [${tools.join(',\n')}]` }))
  const processes: ToolProcesses = parts.use(openProcesses(options))
  const file = folder.at('tools.ts')
  const call = async (name: string, told: string[] = []) =>
    processes.call(
      { files: [file], project: folder.path },
      {
        tool: { name, file, timeoutMs: 5_000 },
        input: {},
        context: { session_id: `sess_${name}`, subject: null, tool_call_id: 'call_1', attempt: 1, workspace: '/' },
        signal: new AbortController().signal,
        onProgress: ({ message }) => told.push(message),
      },
    )
  return { call, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}
