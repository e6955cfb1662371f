import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { AgentError } from '@parley/protocol'

/** Nothing outside the workspace has a say: no configuration, no ignore files above it or of the machine's user. */
const CONFINED = [
  '--no-config',
  '--no-follow',
  '--no-messages',
  '--no-ignore-parent',
  '--no-ignore-global',
  // A workspace is seldom a repository; its .gitignore counts all the same.
  '--no-require-git',
  '--hidden',
  '--color=never',
  '--sort=path',
]

const MAX_STDERR = 4_000

export type Ripgrep = {
  args: readonly string[]
  /** The workspace; ripgrep's paths are relative to it. */
  root: string
  /** Where to look, relative to the root; an existing directory or regular file. */
  path: string
  timeoutMs: number
  signal: AbortSignal
  /** Gets every line; `false` ends the search. */
  onLine: (line: string) => boolean
}

/** Runs ripgrep over a part of a workspace. Resolves when it has ended, was told to, or ran out of time; tells which. */
export async function runRipgrep({
  args,
  root,
  path,
  timeoutMs,
  signal,
  onLine,
}: Ripgrep): Promise<'done' | 'cut' | 'timeout'> {
  const timeout = AbortSignal.timeout(timeoutMs)
  signal.throwIfAborted()
  const child = spawn(
    await ripgrepPath(),
    [...CONFINED, ...args, ...ignoreFile(path), '--glob=!.git', '--', path === '.' ? './' : `./${path}`],
    {
      cwd: root,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: AbortSignal.any([signal, timeout]),
      killSignal: 'SIGKILL',
    },
  )
  const ended = once(child, 'close') as Promise<[number | null]>
  ended.catch(() => undefined)
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (complaint.length < MAX_STDERR) complaint += text
  })
  try {
    for await (const line of createInterface({ input: child.stdout, crlfDelay: Infinity })) {
      if (onLine(line)) continue
      child.kill('SIGKILL')
      child.stdout.destroy()
      return 'cut'
    }
    const [code] = await ended
    if (code === 2 && complaint !== '') throw new AgentError('invalid_payload', complaint.trim().slice(0, MAX_STDERR))
    return 'done'
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted) return 'timeout'
    throw error
  }
}

/** Below the root its own ignore file would not be looked at. Patterns in it are relative to the root, as ripgrep runs there. */
function ignoreFile(path: string): string[] {
  return path === '.' ? [] : ['--ignore-file=.gitignore']
}

/** Loaded when first needed: where there is no ripgrep for the platform, only these tools fail. */
async function ripgrepPath(): Promise<string> {
  return (await import('@vscode/ripgrep')).rgPath
}
