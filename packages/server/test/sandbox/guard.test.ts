import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startNode } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { startGuarded } from '../../src/sandbox/run-guarded.ts'
import { LIMITS, type Sandbox, type SandboxLevel } from '../../src/sandbox/sandbox.ts'
import { isAlive, openBarePlace, openPlace, rightsHere, until } from './rig.ts'

const LEASE_MS = 1_200
const isConfined = (await rightsHere()).length > 0
const levels: SandboxLevel[] = isConfined ? ['unshare', 'none'] : ['none']

/** Children that leave by every door there is: a session of their own, no parent, no ears for signals. */
const DESCENDANTS = `
  sleep 300 &
  setsid sleep 300 &
  (setsid setsid sleep 300 &)
  (trap '' HUP TERM INT PIPE; sleep 300) &
  nohup yes > /dev/null 2>&1 &
  echo started
`
/** Goes on although nobody reads any more; a minute at most. */
const TALK = `trap '' PIPE; while ((SECONDS < 60)); do echo y; done`
const COMMANDS = { silent: `${DESCENDANTS} sleep 300`, talkative: `${DESCENDANTS} ${TALK}` }

/** As Bash tells it, from its variables; each step is made between any two commands of the guard. */
const step = (seconds: number) => `unset EPOCHREALTIME SECONDS; EPOCHREALTIME=1700000000000000 SECONDS=1000000; set -T
  trap '((EPOCHREALTIME += ${seconds} * 1000000, SECONDS += ${seconds}))' DEBUG\n`
const WALL_CLOCKS = { 'leaps ahead': step(60), 'leaps back': step(-60), 'stands still': step(0) }

describe.each(levels)('level %s', (level) => {
  test.each([
    ['SIGKILL', 'silent'],
    ['SIGKILL', 'talkative'],
    ['SIGSTOP', 'silent'],
    ['SIGSTOP', 'talkative'],
  ] as const)(
    'after %s of the server none of a %s command’s descendants lives past lease + 1 s',
    async (signal, manner) => {
      await using place = await openBarePlace()
      await using server = startNode(join(import.meta.dirname, 'workers/guarded-parent.ts'), [
        place.dataDir,
        place.workspace,
        level,
        String(LEASE_MS),
        COMMANDS[manner],
      ])
      await server.line(new RegExp(`^level ${level}$`))
      await server.line(/^started$/)
      expect(isAlive(`HOME=${place.workspace}`)).toBe(true)
      server.signal(signal)
      if (signal === 'SIGSTOP') await server.frozen()
      await until(() => !isAlive(place.workspace, server.pid), LEASE_MS + 1_000, 'every process gone')
    },
  )

  test.each(Object.keys(WALL_CLOCKS) as (keyof typeof WALL_CLOCKS)[])(
    'a wall clock that %s neither ends a healthy command nor lets a silent server’s live on',
    async (clock) => {
      await using place = level === 'none' ? await openBarePlace() : await openPlace((await rightsHere())[0]!)
      const { workspace } = place
      const running = async (leaseMs: number, command: string) => {
        const sandbox = withScript(place.sandbox, WALL_CLOCKS[clock], leaseMs)
        const guarded = await startGuarded({ sandbox, workspace, command, env: {}, leaseMs: 60_000 })
        guarded.output.resume()
        return guarded.ended
      }
      // No beat comes within the first 20 s.
      expect(await running(15_000, 'sleep 1; exit 3')).toEqual({ by: 'exit', code: 3 })
      expect(await running(500, 'sleep 15')).toEqual({ by: 'silent' })
    },
  )

  test('a command whose server lives runs on past the lease', async () => {
    await using place = level === 'none' ? await openBarePlace() : await openPlace((await rightsHere())[0]!)
    const { sandbox, workspace } = place
    const running = await startGuarded({
      sandbox,
      workspace,
      command: 'sleep 2.5; echo still here',
      env: {},
      leaseMs: 1_000,
    })
    let output = ''
    running.output.setEncoding('utf8').on('data', (text: string) => (output += text))
    expect(await running.ended).toEqual({ by: 'exit', code: 0 })
    expect(output).toBe('still here\n')
  })

  test('a kill reaches children and grandchildren within 2 s, deaf ones too', async () => {
    await using place = level === 'none' ? await openBarePlace() : await openPlace((await rightsHere())[0]!)
    const { sandbox, workspace } = place
    const running = await startGuarded({ sandbox, workspace, command: COMMANDS.silent, env: {}, leaseMs: 60_000 })
    running.output.resume()
    await until(() => isAlive(`HOME=${workspace}`), 15_000, 'the command runs')
    const killedAt = performance.now()
    running.kill()
    expect(await running.ended).toEqual({ by: 'killed' })
    await until(() => !isAlive(`HOME=${workspace}`), 1_000, 'every process gone')
    expect(performance.now() - killedAt).toBeLessThan(2_000)
  })

  test('a program that cannot be started is told from a command that failed', async () => {
    await using place = await openBarePlace()
    const sandbox = { ...place.sandbox, wrap: () => ({ file: '/nowhere/bash', args: [], env: {}, cwd: '/' }) }
    const running = await startGuarded({
      sandbox,
      workspace: place.workspace,
      command: 'true',
      env: {},
      leaseMs: 1_000,
    })
    running.output.resume()
    expect(await running.ended).toEqual({ by: 'guard' })
  })
})

test('a server and a guard that slept together go on together: the guard hears the server before it judges', async () => {
  const leaseMs = 3_000
  await using place = await openBarePlace()
  const command = 'echo started; sleep 7; echo survived'
  const parent = [place.dataDir, place.workspace, 'none', String(leaseMs), command]
  await using server = startNode(join(import.meta.dirname, 'workers/guarded-parent.ts'), parent)
  await server.line(/^started$/)
  const guard = Number(readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ').at(-1))
  for (const pid of [server.pid, guard]) process.kill(pid, 'SIGSTOP')
  await server.frozen()
  await delay(1.5 * leaseMs)
  process.kill(guard, 'SIGCONT')
  await delay(leaseMs / 10)
  process.kill(server.pid, 'SIGCONT')
  await server.line(/^survived$/)
})

test('without a sandbox a command still has limits and leaves nothing behind', async () => {
  await using place = await openBarePlace({ ...LIMITS, processes: 20, memoryBytes: 100 * 1024 ** 2 })
  const many = await place.run('for i in $(seq 60); do sleep 30 & done; wait')
  expect(many.end).toEqual({ by: 'processes' })
  const large = await place.run(`for i in 1 2 3; do perl -e '$x = "x" x (40 << 20); sleep 8' & done; wait`)
  expect(large.end).toEqual({ by: 'memory' })
  const left = await place.run('(setsid sleep 300 &); echo $SECRET; env | grep -c PARLEY_TEST; exit 3')
  expect(left).toEqual({ output: '\n0\n', end: { by: 'exit', code: 3 } })
  expect(isAlive(`HOME=${place.workspace}`)).toBe(false)
})

function withScript(sandbox: Sandbox, first: string, leaseMs: number): Sandbox {
  return {
    ...sandbox,
    async wrap(options) {
      const launch = await sandbox.wrap(options)
      const { PARLEY_SCRIPT } = launch.env
      // Before the guard, and after whatever builds its world.
      const script = PARLEY_SCRIPT!.replace('\ninner=', `\n${first}\ninner=`)
      return { ...launch, env: { ...launch.env, PARLEY_SCRIPT: script, PARLEY_LEASE_MS: String(leaseMs) } }
    },
  }
}
