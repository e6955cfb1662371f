import { existsSync, mkdirSync } from 'node:fs'
import { stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import type { BackgroundTask } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import type { Engine } from '../../../src/store/engine.ts'
import { runSql } from '../../../src/store/work.ts'
import { keepOutput, readTail } from '../../../src/background/background-output.ts'
import { isAlive, until } from '../../sandbox/rig.ts'
import { movablePostgres, movableSqlite } from '../../store/movable-clock.ts'
import { newSession, stored } from '../../store/fixtures.ts'
import { places, sqlitePlace } from '../../store/place.ts'
import { LEASE_MS, openTools } from './tool-rig.ts'

describe.each(places)('%s', (kind, openPlace) => {
  test('a background command is recorded and told when it starts and when it ends, with no run about', async () => {
    await using place = await openPlace()
    await using engine = await place.open()
    const session_id = await newSession(engine)
    await using rig = await openTools(engine, session_id)
    const result = await rig.call('Bash', { command: 'echo begun; sleep 0.3; echo done', run_in_background: true })
    const task_id = /as (bg_\w+)\./.exec(result as string)![1]!
    await until(async () => (await rig.tasks.read(session_id, task_id, 10)).status !== 'running', 15_000, 'it ended')
    expect(await rig.tasks.read(session_id, task_id, 10)).toMatchObject({
      task_id,
      command: 'echo begun; sleep 0.3; echo done',
      status: 'completed',
      exit_code: 0,
      finished_at: expect.stringMatching(/Z$/),
      output: 'begun\ndone\n',
      truncated: false,
    })
    expect(await notices(engine, session_id)).toEqual([
      `bg:started ${task_id} running`,
      `bg:ended ${task_id} completed`,
    ])
    expect(await rig.call('BashOutput', { task_id, tail: 1 })).toBe(
      'Status: completed, exit code 0\n… (earlier output left out)\ndone\n',
    )
    expect(rig.errors).toEqual([])
  })

  test('a background command that fails tells its exit code', async () => {
    await using place = await openPlace()
    await using engine = await place.open()
    const session_id = await newSession(engine)
    await using rig = await openTools(engine, session_id)
    const { task_id } = await rig.tasks.start({ ...given(rig, session_id), command: 'exit 9' })
    await until(async () => (await rig.tasks.list(session_id))[0]!.status !== 'running', 15_000, 'it ended')
    expect(await rig.tasks.list(session_id)).toMatchObject([{ task_id, status: 'failed', exit_code: 9 }])
  })

  test('a background command has a time limit too', async () => {
    await using place = await openPlace()
    await using engine = await place.open()
    const session_id = await newSession(engine)
    await using rig = await openTools(engine, session_id, { timeLimitMs: 1_000 })
    await rig.tasks.start({ ...given(rig, session_id), command: 'while :; do :; done' })
    await until(async () => (await rig.tasks.list(session_id))[0]!.status !== 'running', 15_000, 'it ended')
    const failure = 'Killed after its time limit of 1000 ms.'
    expect(await rig.tasks.list(session_id)).toMatchObject([{ status: 'failed', exit_code: null, failure }])
  })

  test('a stop kills the whole tree of a background command, on whatever instance it is asked', async () => {
    await using place = await openPlace()
    await using engine = await place.open()
    const session_id = await newSession(engine)
    await using rig = await openTools(engine, session_id)
    await using elsewhere = rig.instance('two')
    for (const [tasks, token] of [
      [rig.tasks, randomToken()],
      [elsewhere, randomToken()],
    ] as const) {
      const command = `(setsid sleep 4${token} &); sleep 5${token}`
      const { task_id } = await rig.tasks.start({ ...given(rig, session_id), command })
      await until(() => isAlive(`4${token}`) && isAlive(`5${token}`), 15_000, 'both sleep')
      expect(await tasks.stop(session_id, task_id)).toMatchObject({ task_id, status: 'stopped', exit_code: null })
      await until(() => !isAlive(token), 2_000, 'both gone')
      expect((await notices(engine, session_id)).at(-1)).toBe(`bg:ended ${task_id} stopped`)
      // Once more changes nothing.
      expect(await tasks.stop(session_id, task_id)).toMatchObject({ status: 'stopped' })
    }
    expect(await notices(engine, session_id)).toHaveLength(4)
  })

  test('the end of a server ends its background commands, and the record says so', async () => {
    await using place = await openPlace()
    await using engine = await place.open()
    const session_id = await newSession(engine)
    await using rig = await openTools(engine, session_id)
    const token = randomToken()
    await rig.tasks.start({ ...given(rig, session_id), command: `sleep 3${token}` })
    await until(() => isAlive(token), 15_000, 'it sleeps')
    await rig.tasks[Symbol.asyncDispose]()
    expect(isAlive(token)).toBe(false)
    expect(await rig.tasks.list(session_id)).toMatchObject([{ status: 'failed', failure: 'stopped with its server' }])
    expect(await notices(engine, session_id)).toHaveLength(2)
  })

  test('a task whose server is gone is recorded as lost, once, and one whose server lives is left alone', async () => {
    await using place = await openPlace()
    await using engine = await place.open()
    const session_id = await newSession(engine)
    await using rig = await openTools(engine, session_id)
    await using second = rig.instance('two')
    await rig.tasks.start({ ...given(rig, session_id), command: 'sleep 30' })
    await insertOrphan(engine, session_id)
    await Promise.all([rig.tasks.sweep(), rig.tasks.sweep()])
    const orphan = async () => (await rig.tasks.list(session_id))[0]!
    if (kind === 'postgres') {
      // Nobody knows yet how long it has been silent.
      expect(await orphan()).toMatchObject({ task_id: 'bg_orphan', status: 'running' })
      await until(async () => (await orphan()).status !== 'running', LEASE_MS + 5_000, 'it is lost')
    }
    const lost = { task_id: 'bg_orphan', status: 'failed', exit_code: null, failure: 'lost with its server' }
    const byStart = await rig.tasks.list(session_id)
    expect(byStart).toMatchObject([lost, { status: 'running' }])
    // On SQLite there is one server per database, so whoever sweeps is the only one alive.
    if (kind === 'postgres') {
      await second.sweep()
      expect((await rig.tasks.list(session_id))[1]).toMatchObject({ status: 'running' })
    }
    expect((await notices(engine, session_id)).filter((line) => line.includes('bg_orphan'))).toEqual([
      'bg:ended bg_orphan failed',
    ])
  })

  test('a clock set forward or back loses no task whose server lives', async () => {
    await using place = await (kind === 'postgres' ? movablePostgres() : movableSqlite())
    await using engine = await place.open()
    const session_id = await newSession(engine)
    await using rig = await openTools(engine, session_id)
    await using second = rig.instance('two')
    await rig.tasks.start({ ...given(rig, session_id), command: 'sleep 30' })
    for (const hours of [1, -1, 240, -240]) {
      await place.setClock(hours * 3_600_000)
      await rig.tasks.sweep()
      if (kind === 'postgres') await second.sweep()
      expect(await rig.tasks.list(session_id)).toMatchObject([{ status: 'running' }])
    }
  })

  test('deleting a session kills its background commands and leaves nothing of them', async () => {
    await using place = await openPlace()
    await using engine = await place.open()
    const session_id = await newSession(engine)
    const other = await newSession(engine)
    await using rig = await openTools(engine, session_id)
    const token = randomToken()
    await rig.tasks.start({ ...given(rig, session_id), command: `echo hi; sleep 3${token}` })
    await rig.tasks.start({ ...given(rig, other), command: `sleep 4${token}` })
    await until(() => isAlive(`3${token}`) && isAlive(`4${token}`), 15_000, 'both sleep')
    await rig.tasks.dropSession(session_id)
    expect(isAlive(`3${token}`)).toBe(false)
    expect(isAlive(`4${token}`)).toBe(true)
    expect(await rig.tasks.list(session_id)).toEqual([])
    expect(existsSync(join(rig.directory, 'background', session_id))).toBe(false)
  })
})

test('on PostgreSQL a server that keeps running keeps its tasks, past the lease', async () => {
  const [, openPlace] = places[1]
  await using place = await openPlace()
  await using engine = await place.open()
  const session_id = await newSession(engine)
  await using rig = await openTools(engine, session_id, { leaseMs: 900 })
  await using second = rig.instance('two')
  const { task_id } = await rig.tasks.start({ ...given(rig, session_id), command: 'sleep 2; echo done' })
  await until(async () => (await second.read(session_id, task_id, 9)).status !== 'running', 15_000, 'it ended')
  expect(await second.read(session_id, task_id, 9)).toMatchObject({ status: 'completed', output: 'done\n' })
})

test('the run’s end leaves a background command alone', async () => {
  await using place = await sqlitePlace()
  await using engine = await place.open()
  const session_id = await newSession(engine)
  await using rig = await openTools(engine, session_id)
  const run = new AbortController()
  const command = 'echo ready; until [ -e go ]; do sleep 0.05; done; echo went on'
  await rig.call('Bash', { command, run_in_background: true }, { signal: run.signal })
  const [{ task_id }] = (await rig.tasks.list(session_id)) as [BackgroundTask]
  const read = () => rig.tasks.read(session_id, task_id, 9)
  await until(async () => (await read()).output === 'ready\n', 15_000, 'it runs')
  run.abort()
  await writeFile(join(given(rig, session_id).workspace, 'go'), '')
  await until(async () => (await read()).status !== 'running', 15_000, 'it ended')
  expect(await read()).toMatchObject({ status: 'completed', output: 'ready\nwent on\n' })
})

test('a session cannot read or stop what another session started', async () => {
  await using place = await sqlitePlace()
  await using engine = await place.open()
  const session_id = await newSession(engine)
  const other = await newSession(engine)
  await using rig = await openTools(engine, session_id)
  const { task_id } = await rig.tasks.start({ ...given(rig, session_id), command: 'sleep 30' })
  for (const name of ['BashOutput', 'KillBash'])
    await expect(rig.call(name, { task_id }, { session_id: other })).rejects.toThrow('There is no background task')
  expect(await rig.call('KillBash', { task_id })).toBe(`${task_id} is stopped.`)
})

test('a command cannot see or change the file that keeps its output', async () => {
  await using place = await sqlitePlace()
  await using engine = await place.open()
  const session_id = await newSession(engine)
  await using rig = await openTools(engine, session_id)
  if (rig.sandbox.level === 'none') return
  const kept = join(rig.directory, 'background')
  const command = `echo first; find ${rig.directory} -name 'bg_*'; rm -rf ${kept}; echo last`
  const { task_id } = await rig.tasks.start({ ...given(rig, session_id), command })
  await until(async () => (await rig.tasks.list(session_id))[0]!.status !== 'running', 15_000, 'it ended')
  const { output } = await rig.tasks.read(session_id, task_id, 100)
  expect(output).toMatch(/^first\n/)
  expect(output).not.toContain('bg_')
  expect(output).toContain('last\n')
})

test('a session has a bounded number of background commands', async () => {
  await using place = await sqlitePlace()
  await using engine = await place.open()
  const session_id = await newSession(engine)
  await using rig = await openTools(engine, session_id)
  const start = () => rig.tasks.start({ ...given(rig, session_id), command: 'sleep 600' })
  for (let count = 0; count < 16; count++) await start()
  await expect(start()).rejects.toThrow('stop one of them first')
})

test('an endless output keeps its newest part and a bounded file', async () => {
  await using place = await sqlitePlace()
  const path = join(place.at, 'out', 'task.log')
  const lines = Array.from({ length: 5_000 }, (_, index) => Buffer.from(`line ${index}\n`))
  await keepOutput(Readable.from(lines), path, 10_000)
  expect((await stat(path)).size + (await stat(`${path}.1`)).size).toBeLessThanOrEqual(20_000)
  expect(await readTail(path, 2)).toEqual({ output: 'line 4998\nline 4999\n', truncated: true })
  expect((await readTail(path, 1_000)).output.split('\n').length).toBe(1_001)
})

test('a task that printed nothing has an empty output', async () => {
  await using place = await sqlitePlace()
  expect(await readTail(join(place.at, 'nothing.log'), 10)).toEqual({ output: '', truncated: false })
})

test('an output that cannot be written is an error of its own task', async () => {
  await using place = await sqlitePlace()
  const path = join(place.at, 'full.log')
  await symlink('/dev/full', path)
  await expect(keepOutput(Readable.from([Buffer.from('one'), Buffer.from('two')]), path)).rejects.toMatchObject({
    code: 'ENOSPC',
  })
})

test('a command whose output cannot be kept is killed, and the record says why', async () => {
  await using place = await sqlitePlace()
  await using engine = await place.open()
  const session_id = await newSession(engine)
  await using rig = await openTools(engine, session_id)
  await writeFile(join(rig.directory, 'background'), 'no directory')
  const { task_id } = await rig.tasks.start({ ...given(rig, session_id), command: 'while :; do echo more; done' })
  await until(async () => (await rig.tasks.list(session_id))[0]!.status !== 'running', 15_000, 'it ended')
  const end = { task_id, status: 'failed', exit_code: null, failure: 'Killed: its output could not be kept.' }
  expect(await engine.read(() => runSql('SELECT * FROM background_tasks', []))).toMatchObject([end])
})

test('the end of a command that the store does not take is recorded when it does', async () => {
  await using place = await sqlitePlace()
  await using engine = await place.open()
  const session_id = await newSession(engine)
  await using rig = await openTools(engine, session_id)
  await rig.tasks.start({ ...given(rig, session_id), command: 'sleep 0.2' })
  {
    using other = new DatabaseSync(join(place.at, 'parley.sqlite'))
    other.exec('BEGIN EXCLUSIVE')
    // Signs of life are refused as well, one after the other; by the fourth, the end has been.
    await until(() => rig.errors.length > 3, 10_000, 'the store refused')
    expect(await rig.tasks.list(session_id)).toMatchObject([{ status: 'running' }])
  }
  await until(async () => (await rig.tasks.list(session_id))[0]!.status !== 'running', 10_000, 'it is recorded')
  expect(await rig.tasks.list(session_id)).toMatchObject([{ status: 'completed', exit_code: 0 }])
})

function given(rig: { directory: string }, session_id: string) {
  const workspace = join(rig.directory, 'workspaces', session_id)
  mkdirSync(workspace, { recursive: true, mode: 0o700 })
  return { session_id, workspace, env: {} }
}

function randomToken(): string {
  return `${Math.random()}`.slice(2, 12)
}

async function insertOrphan(engine: Engine, session_id: string): Promise<void> {
  await engine.write(() =>
    runSql(
      `INSERT INTO background_tasks (task_id, session_id, instance, command, status, started_at) VALUES ('bg_orphan', ?, 'dead', 'sleep 9', 'running', '2020-01-01T00:00:00Z')`,
      [session_id],
    ),
  )
  await engine.write(() =>
    runSql(`INSERT INTO instances (id, lease_until, started_at, detail) VALUES ('dead', now_ms() - ?, 0, '{}')`, [
      LEASE_MS,
    ]),
  )
}

async function notices(engine: Engine, session_id: string): Promise<string[]> {
  return (await stored(engine, session_id)).map(({ type, data }) => {
    const { task } = JSON.parse(data) as { task: BackgroundTask }
    return `${type} ${task.task_id} ${task.status}`
  })
}
