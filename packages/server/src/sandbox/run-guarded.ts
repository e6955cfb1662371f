import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { dirname, resolve } from 'node:path'
import type { Duplex, Readable, Writable } from 'node:stream'
import { commandVariables, type Sandbox, SYSTEM_PATH } from './sandbox.ts'

/** How a guarded command ended: by itself, or killed with everything it had started. */
export type GuardedEnd =
  | { by: 'exit'; code: number }
  /** `processes`, `memory`: over its limit. `killed`: by us. `silent`: the server fell silent for a lease. */
  | { by: 'processes' | 'memory' | 'killed' | 'silent' }
  /** The guard itself could not start or was killed; what it had to say is in the output. */
  | { by: 'guard' }

export type Guarded = {
  /** What the command prints, errors and all, in the order it was printed. Must be read. */
  output: Readable
  /** Settles once the whole tree is gone and the output has ended. Never rejects. */
  ended: Promise<GuardedEnd>
  /** Kills the whole tree; `ended` follows. */
  kill: () => void
}

export type GuardedOptions = {
  sandbox: Sandbox
  workspace: string
  command: string
  /** The session's variables. They reach the command only, never the programs that confine it. */
  env: Readonly<Record<string, string>>
  leaseMs: number
}

/** How long the guard may take over a kill before it is killed itself, and all namespaces with it. */
const KILL_GRACE_MS = 1_000
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Starts a command under a guard that outlives neither its server's death nor, for longer than a lease, its silence. */
export async function startGuarded({ sandbox, command, env, leaseMs, ...given }: GuardedOptions): Promise<Guarded> {
  const workspace = resolve(given.workspace)
  const { file, args, env: variables, cwd } = await sandbox.wrap({ workspace, leaseMs, mark: randomUUID() })
  // A group of its own: a terminal's Ctrl-C is the server's to handle.
  const child = spawn(file, args, {
    cwd,
    env: variables,
    stdio: ['ignore', 'pipe', 'ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const [, output, , control, program] = child.stdio as unknown as [null, Readable, null, Duplex, Writable]
  for (const pipe of [control, program]) pipe.on('error', () => undefined) // the guard is gone; its end tells how
  let report = ''
  control.setEncoding('utf8').on('data', (text: string) => (report += text))
  const system = sandbox.level === 'none' ? (variables['PATH'] ?? SYSTEM_PATH) : SYSTEM_PATH
  // Where the system has no Node there is still the one that runs the server.
  const path = `${system}:${dirname(process.execPath)}`
  program.end(programText({ ...commandVariables(workspace, path), ...env }, command))

  const beat = setInterval(() => control.write('\n'), leaseMs / 3)
  beat.unref()
  let isKilled = false
  let isOver = false
  const closed = once(child, 'close').catch(() => undefined)
  return {
    output,
    ended: closed.then(() => {
      isOver = true
      clearInterval(beat)
      return endOf(report.trim(), isKilled)
    }),
    kill() {
      if (isKilled || isOver) return
      isKilled = true
      control.end()
      setTimeout(() => !isOver && child.kill('SIGKILL'), KILL_GRACE_MS).unref()
    },
  }
}

function programText(variables: Record<string, string>, command: string): string {
  const pairs = Object.entries(variables).filter(([name, value]) => VARIABLE.test(name) && !value.includes('\0'))
  return [...pairs.map(([name, value]) => `${name}=${value}`), command].map((part) => `${part}\0`).join('')
}

function endOf(report: string, isKilled: boolean): GuardedEnd {
  const exit = /^exit (\d+)$/.exec(report)
  if (exit) return { by: 'exit', code: Number(exit[1]) }
  if (isKilled) return { by: 'killed' }
  if (report === 'processes' || report === 'memory' || report === 'silent') return { by: report }
  return { by: 'guard' }
}
