import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

export type Terminal = AsyncDisposable & {
  /** Everything that was on it so far. */
  screen: () => string
  /** What fits, once it is there; rejects when the program ends without it, or nobody would wait any longer. */
  shows: (pattern: RegExp, withinMs?: number) => Promise<RegExpMatchArray>
  type: (text: string) => void
  /** Its exit code; rejects when nobody would wait any longer. */
  ends: (withinMs?: number) => Promise<number>
  /** The longest time so far in which it showed nothing new. */
  longestSilenceMs: () => number
}

/** `withinMs`: how long a few lines in a shell may take. */
export type Place = { directory: string; env: NodeJS.ProcessEnv; withinMs?: number }

const PATIENCE_MS = 60_000

/** A command where a person would sit: in a pseudo-terminal (util-linux `script`). Ends with its terminal. */
export function openTerminal(command: string, { directory, env }: Place): Terminal {
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: directory,
    env: { ...env, SHELL: '/bin/bash' },
  })
  let seen = ''
  let [heardAt, silenceMs] = [performance.now(), 0]
  const silence = () => Math.max(silenceMs, performance.now() - heardAt)
  const looks = new Set<() => void>()
  const look = () => [...looks].forEach((each) => each())
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      seen += chunk.toString()
      silenceMs = silence()
      heardAt = performance.now()
      look()
    })
  const exited = once(child, 'close').then(([code]) => {
    look()
    return (code as number | null) ?? 1
  })
  child.stdin.on('error', () => undefined)
  return {
    async ends(withinMs = PATIENCE_MS) {
      const timer = new AbortController()
      const late = delay(withinMs, undefined, { signal: timer.signal })
      const code = await Promise.race([exited, late.catch(() => undefined)])
      timer.abort()
      if (code === undefined) throw new Error(`${command} does not end:\n${seen.slice(-3_000)}`)
      return code
    },
    screen: () => seen,
    longestSilenceMs: silence,
    type: (text) => void child.stdin.write(text),
    shows(pattern, withinMs = PATIENCE_MS) {
      const { promise, resolve, reject } = Promise.withResolvers<RegExpMatchArray>()
      const check = () => {
        const found = pattern.exec(seen)
        if (found) resolve(found)
        else if (child.exitCode !== null)
          reject(new Error(`${command} ended without ${pattern}:\n${seen.slice(-3_000)}`))
      }
      const timer = setTimeout(
        () => reject(new Error(`${command} does not show ${pattern} within ${withinMs} ms:\n${seen.slice(-3_000)}`)),
        withinMs,
      )
      looks.add(check)
      check()
      return promise.finally(() => {
        looks.delete(check)
        clearTimeout(timer)
      })
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** What a shell without a terminal says to a few lines, on standard output alone. */
export async function inShell(lines: string, { directory, env, withinMs = PATIENCE_MS }: Place): Promise<string> {
  const child = spawn('bash', ['-c', lines], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [said, errors] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  if (code !== 0) throw new Error(`${lines}\n\nended with ${code}:\n${said}\n${errors}`)
  return said
}
