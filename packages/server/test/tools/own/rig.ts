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
