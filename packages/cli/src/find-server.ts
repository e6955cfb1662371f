import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { LOCAL_FILES } from '@parley/protocol/wire'
import { CommandError, EXIT } from './exit-codes.ts'
import { serverUrl } from './options.ts'
import { startLocalServer } from './local-server.ts'
import type { Terminal } from './terminal.ts'

export type ServerFlags = { url?: string | undefined; key?: string | undefined; 'data-dir'?: string | undefined }

/** A server to talk to, and how to let go of it. */
export type FoundServer = AsyncDisposable & { url: string; key: string }

/**
 * The server that was named, else the one that runs in the data directory, else, where the command allows it, one in
 * this process.
 */
export async function findServer(
  terminal: Terminal,
  flags: ServerFlags,
  { mayStart = false } = {},
): Promise<FoundServer> {
  const { words, environment } = terminal
  const dataDir = dataDirectory(flags, environment)
  const running = await runningServer(dataDir)
  const url = flags.url || environment['PARLEY_URL'] || running?.url
  if (url) return remote(serverUrl(url, words), await findKey())
  if (!mayStart) throw new CommandError(EXIT.unreachable, words.noServer)
  if (terminal.isInteractive) terminal.errors.write(`${words.starting}\n`)
  // Its log would stand between the lines of the answer.
  const local = await startLocalServer({ dataDir, port: 0, logLevel: 'silent' })
  return { url: local.url, key: local.key, [Symbol.asyncDispose]: () => local.close() }

  async function findKey(): Promise<string> {
    const given = flags.key || environment['PARLEY_KEY']
    if (given) return given
    // The owner's key opens the server beside it, and is nobody else's business.
    const own = url === running?.url ? await readText(join(dataDir, LOCAL_FILES.key)) : undefined
    if (own) return own
    throw new CommandError(EXIT.unauthorized, words.noKey(url!))
  }
}

export function dataDirectory(flags: ServerFlags, environment: NodeJS.ProcessEnv): string {
  return resolve(flags['data-dir'] || environment['PARLEY_DATA_DIR'] || '.parley')
}

function remote(url: string, key: string): FoundServer {
  return { url, key, async [Symbol.asyncDispose]() {} }
}

/** What the server wrote beside its data, if that server is still alive. */
async function runningServer(dataDir: string): Promise<{ pid: number; url: string } | undefined> {
  const text = await readText(join(dataDir, LOCAL_FILES.holder))
  if (!text) return undefined
  try {
    const server = JSON.parse(text) as { pid: number; url: string }
    return isAlive(server.pid) ? server : undefined
  } catch {
    return undefined // Half written, or from another time: as good as none.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function readText(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trim() || undefined
}
