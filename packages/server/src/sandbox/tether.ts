import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setPriority } from 'node:os'
import type { Duplex } from 'node:stream'
import { CLOCK, RUN_SCRIPT } from './guard-script.ts'
import { SYSTEM_PATH } from './sandbox.ts'

/**
 * Waits while beats come on descriptor 3; then kills whoever carries the mark in its environment, and the process groups
 * they lead. As text, and in Bash, for the reasons that `guard-script.ts` gives.
 */
const TETHER = `
trap '' HUP INT TERM PIPE
{ echo "$PARLEY_NICE" > /proc/$$/autogroup; } 2>/dev/null
${CLOCK}
pass; quiet=0
wait_for 0.1
while ((quiet * 10 <= PARLEY_LEASE_MS)); do
  IFS= read -r -t "$tick" <&3; got=$?
  pass
  if ((got == 0)); then quiet=0; elif ((got <= 128)); then break; fi
done
for round in 1 2 3 4 5 6 7 8; do
  found=$(grep -lsF "PARLEY_GUARD=$PARLEY_MARK" /proc/[1-9]*/environ)
  [[ $found ]] || break
  for pid in $found; do
    pid=\${pid#/proc/}; pid=\${pid%/environ}
    kill -9 -- "-$pid"
    kill -9 "$pid"
  done
done 2>/dev/null
`

/** Before whoever it watches, however busy the machine is. Only a server that may do so (root) gets it. */
const WATCHER_NICE = -10

/**
 * Holds the programs that the operator has us start, which run in no sandbox, to the life of this process: when it dies,
 * or gives no sign of life for a lease, they are killed with all they started. One small process watches for all of them.
 * Where there is no /proc they only see their input close.
 */
export class Tether implements Disposable {
  readonly #leaseMs: number
  #line: Line | undefined

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs
  }

  /** Variables that tie a program to us; for one that is started now. */
  variables(): Record<string, string> {
    // After a freeze the old watcher has done its work, and is gone.
    if (!this.#line || this.#line.isOver) this.#line = startLine(this.#leaseMs)
    return { PARLEY_GUARD: this.#line.mark }
  }

  [Symbol.dispose](): void {
    this.#line?.cut()
  }
}

type Line = { mark: string; isOver: boolean; cut: () => void }

function startLine(leaseMs: number): Line {
  const mark = randomUUID()
  const child = spawn('bash', ['-c', RUN_SCRIPT], {
    cwd: '/',
    env: {
      PATH: SYSTEM_PATH,
      PARLEY_SCRIPT: TETHER,
      PARLEY_MARK: mark,
      PARLEY_LEASE_MS: String(leaseMs),
      PARLEY_NICE: String(WATCHER_NICE),
    },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    detached: true,
  })
  hurry(child.pid)
  const control = child.stdio[3] as Duplex
  control.on('error', () => undefined) // the watcher is gone; so it is told below
  control.resume()
  const beat = setInterval(() => control.write('\n'), leaseMs / 3)
  const line: Line = { mark, isOver: false, cut: () => control.end() }
  const over = () => {
    line.isOver = true
    clearInterval(beat)
  }
  child.once('exit', over)
  child.once('error', over) // no Bash here: the programs see their input close, and no more
  for (const held of [child, beat, control as unknown as { unref: () => void }]) held.unref()
  return line
}

function hurry(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, WATCHER_NICE)
  } catch {
    // Not allowed here: it watches like everybody else.
  }
}
