import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NodeProcess, startNode } from '@parley/testkit'
import { expect } from 'vitest'

/** The program as it is started: what was built. */
export const MAIN = join(import.meta.dirname, '../../bundle/main.js')

/** Where a test's server is at home: a directory of its own, a port of its own. */
export function environment(home: string): Record<string, string> {
  return { PARLEY_PORT: '0', PARLEY_DATA_DIR: join(home, 'data') }
}

export function start(home: string, env: Record<string, string> = {}): NodeProcess {
  return startNode(MAIN, [], { env: { ...environment(home), ...env }, cwd: home })
}

/** A start that ends with this exit code and a sentence that says why. */
export async function refused(
  home: string,
  { env = {}, code }: { env?: Record<string, string>; code: number },
  messages: RegExp[],
): Promise<NodeProcess> {
  await using server = start(home, env)
  expect(await server.exited, server.lines.join('\n')).toBe(code)
  const output = server.lines.join('\n')
  for (const message of messages) expect(output).toMatch(message)
  expect(output, 'a sentence, not a stack trace').not.toMatch(/^\s+at /m)
  return server
}

export async function listening(server: NodeProcess): Promise<string> {
  return (await server.line(/(?:listening on |已启动：)(http:\/\/[\w.:]+)/))[1]!
}

export async function json(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  return (await fetch(url, { headers })).json()
}

export async function newHome(files: Record<string, string> = {}): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'parley-start-'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
