import { type ChildProcess, spawn } from 'node:child_process'
import { type End, exitCodeOf, nextStart, PACE, type Pace } from './back-off.ts'
import { onStopSignal } from './stop-signals.ts'
import { SUPERVISED } from './supervised.ts'
import { SupervisorLog } from './supervisor-log.ts'

export type Program = {
  command: string
  args: readonly string[]
  env: NodeJS.ProcessEnv
  cwd?: string
}

/** How long a server may take to end when it shall end at once. */
const AT_ONCE_MS = 2_000

/**
 * Runs the server, and runs it again when it dies. Resolves with its exit code when that is for good: it ended in good
 * order or for a reason that a new start cannot mend, somebody wants it to stop, or it does not stay up.
 *
 *     starting ──▶ up ── dies ──▶ waiting ──▶ starting …
 *        └─── ends for good ──┴── a signal ──┴── too often in a row ──▶ over
 *
 * Loads nothing of the server, and runs in whatever Node the system has.
 */
export async function supervise(program: Program, pace: Pace = PACE): Promise<number> {
  const log = new SupervisorLog(program.env)
  const stop = new AbortController()
  let child: ChildProcess | undefined
  onStopSignal((signal, isAgain) => {
    stop.abort()
    child?.kill(signal)
    if (isAgain) setTimeout(() => child?.kill('SIGKILL'), AT_ONCE_MS).unref()
  })
  let restarts = 0
  let wasReady = false
  let goneAt: number | undefined

  for (;;) {
    const startedAt = performance.now()
    child = start(program, restarts)
    child.on('message', (message) => {
      const language = languageOfReady(message)
      if (!language) return
      log.language = language
      if (goneAt !== undefined) log.warn('supervisor.back', { seconds: secondsOf(performance.now() - goneAt) })
      wasReady = true
    })
    const end = await endOf(child)
    child = undefined
    if (end instanceof Error) {
      await log.lastWords('supervisor.cannotStart', { reason: end.message })
      return 1
    }
    if (stop.signal.aborted) return exitCodeOf(end)
    goneAt = performance.now()
    if (goneAt - startedAt >= pace.steadyMs) restarts = 0
    const waitMs = nextStart(end, { restarts, wasReady }, pace)
    if (waitMs === 'never') return exitCodeOf(end)
    const attempts = pace.waitsMs.length
    const reason = reasonOf(end, log)
    if (waitMs === 'too often') {
      const steady = secondsOf(pace.steadyMs)
      await log.lastWords('supervisor.givesUp', { attempts: attempts + 1, steady, reason })
      return exitCodeOf(end)
    }
    restarts += 1
    if (waitMs === 0) log.warn('supervisor.again', { reason })
    else log.warn('supervisor.later', { reason, seconds: secondsOf(waitMs), attempt: restarts, attempts })
    await waited(waitMs, stop.signal)
    if (stop.signal.aborted) return exitCodeOf(end)
  }
}

/** The channel is how the server notices that its supervisor is gone. */
function start({ command, args, env, cwd }: Program, restarts: number): ChildProcess {
  return spawn(command, args, {
    ...(cwd !== undefined && { cwd }),
    env: { ...env, [SUPERVISED]: String(restarts) },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
}

function endOf(child: ChildProcess): Promise<End | Error> {
  return new Promise((resolve) => {
    child.on('error', (error) => child.pid === undefined && resolve(error))
    child.on('exit', (code, signal) => resolve({ code, signal }))
  })
}

function waited(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function reasonOf({ code, signal }: End, log: SupervisorLog): string {
  return signal ? log.words('supervisor.died', { signal }) : log.words('supervisor.exited', { code: code ?? 1 })
}

function languageOfReady(message: unknown): 'zh' | 'en' | undefined {
  const { ready } = (message ?? {}) as { ready?: unknown }
  return ready === 'zh' || ready === 'en' ? ready : undefined
}

function secondsOf(ms: number): string {
  return String(Math.round(ms / 100) / 10)
}
