import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type Setup, setUp } from '../../client/test/fast-client.ts'
import { KEY } from '../../client/test/scripted-server.ts'
import { languageOf } from '../src/language.ts'
import { runCommand } from '../src/run-command.ts'
import { createTerminal } from '../src/terminal.ts'

type Outcome = { code: number | null; output: string; errors: string }
type Circumstances = { input?: string; env?: Record<string, string> }

export type Folder = AsyncDisposable & {
  path: string
  /** Where the data directory of a server would be. */
  dataDir: string
  /** Runs a command line without a terminal, in this process. */
  parley(args: string[], circumstances?: Circumstances): Promise<Outcome>
  /** The same in a process of its own, for signals and for its end. */
  start(args: string[], circumstances?: Circumstances): Started
}
type Started = { ended: Promise<Outcome>; interrupt(): void; shown(text: string): Promise<void> }

/** An empty folder, where nothing is configured. */
export async function emptyFolder(settings: Record<string, string> = {}): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'parley-cli-'))
  const dataDir = join(path, '.parley')
  const environment = { PARLEY_DATA_DIR: dataDir, LANG: 'en_US.UTF-8', ...settings }
  return {
    path,
    dataDir,
    parley: (args, { input = '', env } = {}) => runHere(args, input, { ...environment, ...env }),
    start: (args, { input = '', env } = {}) => startProcess(args, input, { ...environment, ...env }),
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true })
    },
  }
}

/** A scripted server, and a folder from which it is known by environment. */
export async function withServer(): Promise<Setup & Folder> {
  const setup = await setUp()
  const folder = await emptyFolder({ PARLEY_URL: setup.server.url, PARLEY_KEY: KEY })
  return {
    ...setup,
    ...folder,
    async [Symbol.asyncDispose]() {
      await Promise.all([setup[Symbol.asyncDispose](), folder[Symbol.asyncDispose]()])
    },
  }
}

async function runHere(args: string[], typed: string, environment: Record<string, string>): Promise<Outcome> {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()]
  input.end(typed)
  const streams = { input, output, errors } as unknown as Pick<
    Parameters<typeof createTerminal>[0],
    'input' | 'output' | 'errors'
  >
  const code = await runCommand(args, createTerminal({ ...streams, environment, language: languageOf(environment) }))
  output.end()
  errors.end()
  return { code, output: await text(output), errors: await text(errors) }
}

function startProcess(args: string[], typed: string, environment: Record<string, string>): Started {
  const main = join(import.meta.dirname, '../src/main.ts')
  const child = spawn(process.execPath, ['--conditions=parley-source', main, ...args], {
    env: { ...environment, PATH: process.env['PATH'] },
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  child.stderr.on('data', (chunk) => (errors += String(chunk)))
  child.stdin.end(typed)
  return {
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, output, errors })),
    interrupt: () => void child.kill('SIGINT'),
    async shown(text) {
      while (!output.includes(text)) await once(child.stdout, 'data')
    },
  }
}
