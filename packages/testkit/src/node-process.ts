import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

export type NodeProcess = AsyncDisposable & {
  pid: number
  /** Everything it has printed so far, line by line. */
  lines: readonly string[]
  /** The first line that matches, printed already or still to come; rejects when the process ends without it. */
  line(pattern: RegExp): Promise<RegExpMatchArray>
  signal(signal: NodeJS.Signals): void
  /** Resolves once the process stands still (SIGSTOP). */
  frozen(): Promise<void>
  /** Its exit code, or the signal that ended it. */
  exited: Promise<number | NodeJS.Signals>
}

/** `env` is added to the environment of the tests; `cwd` is theirs unless it is given. */
type Surroundings = { env?: Record<string, string>; cwd?: string }

/** A real process of its own, so that it can be stopped, frozen and killed like one. Ended when disposed. */
export function startNode(file: string, args: readonly string[] = [], surroundings: Surroundings = {}): NodeProcess {
  // Sources see the sources of our other packages; what was built sees what was built.
  const conditions = file.endsWith('.ts') ? ['--conditions=parley-source'] : []
  return startProgram(process.execPath, [...conditions, file, ...args], surroundings)
}

/** The same for any program. */
export function startProgram(
  file: string,
  args: readonly string[],
  { env = {}, cwd = process.cwd() }: Surroundings = {},
): NodeProcess {
  const child: ChildProcess = spawn(file, args, {
    cwd,
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'parley-compile-cache'), ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const wake = () => [...waiting].forEach((look) => look())
  for (const input of [child.stdout!, child.stderr!])
    createInterface({ input }).on('line', (line) => {
      lines.push(line)
      wake()
    })
  const exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  let isOver = false
  void exited.then(() => {
    isOver = true
    wake()
  })

  return {
    pid: child.pid!,
    lines,
    exited,
    signal: (signal) => void child.kill(signal),
    async frozen() {
      while (!isOver && (await stateOf(child.pid!)) !== 'T') await delay(5)
    },
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.map((line) => pattern.exec(line)).find((match) => match !== null)
          if (!found && !isOver) return
          waiting.delete(look)
          if (found) resolve(found)
          else reject(new Error(`${file} ended without a line like ${pattern}:\n${lines.join('\n')}`))
        }
        waiting.add(look)
        look()
      }),
    async [Symbol.asyncDispose]() {
      if (!isOver) child.kill('SIGKILL')
      await exited
    },
  }
}

/** `T` for a stopped process, as in proc(5). */
async function stateOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return /\) (\w)/.exec(stat)?.[1]
}
