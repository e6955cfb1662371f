import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Duplex, Readable, Writable } from 'node:stream'
import type { ControlGroup } from './control-groups.ts'
import { DiskWatch } from './disk-watch.ts'
import { commandVariables, type Launch, type Place, type Purpose, type Sandbox, SYSTEM_PATH } from './sandbox.ts'

/** How a guarded command ended: by itself, or killed with everything it had started. */
export type GuardedEnd =
  | { by: 'exit'; code: number }
  /** Over its limit; `full`: the disk has no more to give. `killed`: by us. `silent`: the server was, for a lease. */
  | { by: 'processes' | 'memory' | 'disk' | 'full' | 'time' | 'killed' | 'silent' }
  /** The guard itself could not start or was killed; what it had to say is in the output. */
  | { by: 'guard' }

export type Guarded = {
  /** What the command prints, errors and all, in the order it was printed. Must be read. */
  output: Readable
  /** What the command reads, if it was started with `takesInput`. Never fails: a command that is gone says so by its end. */
  input: Writable
  /** Settles once the whole tree is gone and the output has ended. Never rejects. */
  ended: Promise<GuardedEnd>
  /** Kills the whole tree; `ended` follows. */
  kill: () => void
  /** True when there was no room at its start, on the disk or in its workspace: it could read and delete, not write. */
  isReadOnly: boolean
}

export type GuardedOptions = Place & {
  sandbox: Sandbox
  command: string
  /** The session's variables. They reach the command only, never the programs that confine it. */
  env: Readonly<Record<string, string>>
  leaseMs: number
  /** After this long it is killed, `by: 'time'`. Default: never. */
  timeLimitMs?: number
  /** The command reads what is written to `input`. Default: it reads nothing. */
  takesInput?: boolean
  /** What the command has to do, as far as it decides what it may see. Default anything. */
  purpose?: Purpose
}

/** How long the guard may take over a kill before it is killed itself, and all namespaces with it. */
const KILL_GRACE_MS = 1_000
/** How often the kernel is asked whether the command came up against its limits. */
const LOOK_MS = 250
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Starts a command under a guard that outlives neither its server's death nor, for longer than a lease, its silence. */
export async function startGuarded(options: GuardedOptions): Promise<Guarded> {
  const { sandbox, command, env, leaseMs, timeLimitMs, takesInput = false, purpose = 'command' } = options
  const workspace = resolve(options.workspace)
  let cause: Cause | undefined
  let isOver = false
  const stop = (why: Cause) => {
    if (cause || isOver) return
    cause = why
    control.end()
    setTimeout(() => !isOver && child.kill('SIGKILL'), KILL_GRACE_MS).unref()
  }
  const stopIf = (why: Cause | undefined) => why && stop(why)
  await using parts = new AsyncDisposableStack()
  const group = parts.use(sandbox.groups?.take())
  const disk = parts.use(await DiskWatch.open(workspace, sandbox.bounds))
  const isReadOnly = disk?.isReadOnly ?? false
  const launch = await sandbox.wrap({ workspace, reads: options.reads, leaseMs, mark: randomUUID(), purpose })
  const device = await deviceOf(workspace)
  const variables = { ...launch.env, PARLEY_WORKSPACE: workspace, PARLEY_DEVICE: device }
  const { child, control, program, output } = startGuard({ ...launch, env: variables }, group, isReadOnly)
  const system = sandbox.level === 'none' ? (launch.env['PATH'] ?? SYSTEM_PATH) : SYSTEM_PATH
  // Where the system has no Node there is still the one that runs the server.
  const path = `${system}:${dirname(process.execPath)}`
  program.write(programText({ ...commandVariables(workspace, path), ...env }, command))
  if (takesInput) program.write('\0')
  else program.end()

  let report = ''
  control.setEncoding('utf8').on('data', (text: string) => {
    report = (report + text).replaceAll(/^size (\d+)( part)?\n/gm, (_line, kilobytes: string, part?: string) => {
      if (disk?.weighed(Number(kilobytes) * 1024, part !== undefined)) stop('disk')
      return ''
    })
  })
  disk?.start({ weigh: () => control.write('size\n'), end: () => stop('full') })
  const timers = [
    setInterval(() => control.write('\n'), leaseMs / 3),
    setInterval(() => stopIf(group?.ranOut()), LOOK_MS),
    ...(timeLimitMs === undefined ? [] : [setTimeout(stop, timeLimitMs, 'time')]),
  ]
  for (const timer of timers) timer.unref()
  const closed = once(child, 'close').catch(() => undefined)
  const held = parts.move()
  return {
    output,
    isReadOnly,
    input: program,
    ended: closed.then(async () => {
      isOver = true
      for (const timer of timers) clearInterval(timer)
      const end = endOf(report.trim(), group?.ranOut() ?? cause)
      await held.disposeAsync()
      return end
    }),
    kill: () => stop('killed'),
  }
}

/** Why we end a command. */
type Cause = 'killed' | 'time' | 'memory' | 'processes' | 'disk' | 'full'

type Guard = { child: ChildProcess; output: Readable; control: Duplex; program: Writable }

function startGuard({ file, args, cwd, env }: Launch, group: ControlGroup | undefined, isReadOnly: boolean): Guard {
  const doors = group?.openDoors() ?? []
  try {
    // A group of its own: a terminal's Ctrl-C is the server's to handle.
    const child = spawn(file, args, {
      cwd,
      env: { ...env, PARLEY_JOINS: String(doors.length), ...(isReadOnly && { PARLEY_FILE_KB: '0' }) },
      stdio: ['ignore', 'pipe', 'ignore', 'pipe', 'pipe', ...doors],
      detached: true,
    })
    const [, output, , control, program] = child.stdio as unknown as [null, Readable, null, Duplex, Writable]
    for (const pipe of [control, program]) pipe.on('error', () => undefined) // the guard is gone; its end tells how
    return { child, output, control, program }
  } finally {
    for (const door of doors) closeSync(door)
  }
}

/** The number of the device that a file lies on, as `find` prints it. */
async function deviceOf(path: string): Promise<string> {
  return stat(path).then(
    ({ dev }) => String(dev),
    () => '',
  )
}

function programText(variables: Record<string, string>, command: string): string {
  const pairs = Object.entries(variables).filter(([name, value]) => VARIABLE.test(name) && !value.includes('\0'))
  return [...pairs.map(([name, value]) => `${name}=${value}`), command].map((part) => `${part}\0`).join('')
}

function endOf(report: string, cause: Cause | undefined): GuardedEnd {
  const exit = /^exit (\d+)$/.exec(report)
  if (exit && cause !== 'memory' && cause !== 'processes') return { by: 'exit', code: Number(exit[1]) }
  if (cause) return { by: cause }
  if (report === 'processes' || report === 'memory' || report === 'silent') return { by: report }
  return { by: 'guard' }
}
