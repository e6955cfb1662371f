import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodeProcess } from '@parley/testkit'

/** The program as it is started: what was built. */
export const MAIN = join(import.meta.dirname, '../../bundle/main.js')

/** Where a test's server is at home: a directory of its own, a port of its own. */
export function environment(home: string): Record<string, string> {
  return { PARLEY_PORT: '0', PARLEY_DATA_DIR: join(home, 'data') }
}

export async function listening(server: NodeProcess): Promise<string> {
  return (await server.line(/listening on (http:\/\/[\w.:]+)/))[1]!
}

export async function json(url: string): Promise<unknown> {
  return (await fetch(url)).json()
}

export async function newHome(files: Record<string, string> = {}): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'parley-start-'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
