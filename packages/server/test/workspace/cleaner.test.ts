import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { Engine } from '../../src/store/engine.ts'
import { openGate } from '../../src/store/gate.ts'
import { run, runSql } from '../../src/store/work.ts'
import { temporaryName } from '../../src/workspace/files/temporary-name.ts'
import { cleanWorkspaces, startWorkspaceCleaner } from '../../src/workspace/cleaner.ts'
import { runRow } from '../store/fixtures.ts'
import { places, sqlitePlace } from '../store/place.ts'
import { workspaceWith } from '../tools/file-ops/use.ts'

const DAY = 24 * 60 * 60 * 1_000
/** The clock of these tests. */
const NOW = Date.UTC(2030, 0, 1)
const now = () => NOW

type Lived = { daysAgo?: number; is_persistent?: 0 | 1; touchedDaysAgo?: number }

/** A session with a workspace, last used so many days ago. */
async function session(engine: Engine, directory: string, lived: Lived = {}): Promise<string> {
  const { daysAgo = 31, is_persistent = 0, touchedDaysAgo = daysAgo } = lived
  const id = `sess_${randomUUID()}`
  const updated_at = new Date(NOW - daysAgo * DAY).toISOString()
  await engine.write(function* () {
    const named = { id, user_id: 'user_1', intent: '', status: 'completed', mode: 'executing' }
    yield* run(
      engine.db.insertInto('sessions').values({
        ...named,
        created_at: updated_at,
        updated_at,
        solution_id: null,
        biz_role_id: null,
        model: null,
        shared: 0,
        is_pinned: 0,
        memory_enabled: 1,
        is_persistent,
        replay_state: null,
        disable_tools: null,
        env: null,
      }),
    )
    yield* openGate(id)
  })
  await mkdir(join(directory, id, 'sub'), { recursive: true })
  await writeFile(join(directory, id, 'sub/file.txt'), 'kept')
  await touch(directory, id, touchedDaysAgo)
  return id
}

async function touch(directory: string, name: string, daysAgo: number): Promise<void> {
  const at = new Date(NOW - daysAgo * DAY)
  await utimes(join(directory, name), at, at)
}

describe.each(places)('on %s', (_kind, makePlace) => {
  test('idle workspaces go after 30 days, those that are used, kept or busy stay', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    await using data = await workspaceWith({ 'sess_file.txt': '', '.parley-deployment': 'id', 'other/x': '' })
    const directory = data.path
    const idle = [await session(engine, directory), await session(engine, directory, { daysAgo: 400 })]
    const used = await session(engine, directory, { daysAgo: 29 })
    const touched = await session(engine, directory, { daysAgo: 60, touchedDaysAgo: 2 })
    const kept = await session(engine, directory, { is_persistent: 1 })
    const [running, waiting, held, background] = await Promise.all(
      Array.from({ length: 4 }, () => session(engine, directory, { daysAgo: 90 })),
    )
    await engine.write(function* () {
      yield* runRow(running!, `chat_${randomUUID()}`, 1)
      yield* runRow(waiting!, `chat_${randomUUID()}`, 1)
      yield* runSql(`UPDATE runs SET status = 'waiting' WHERE session_id = ?`, [waiting])
      yield* runSql(`UPDATE gates SET run_id = 'chat_x' WHERE session_id = ?`, [held])
      yield* runSql(
        `INSERT INTO background_tasks (task_id, session_id, instance, command, status, started_at) VALUES (?, ?, 'one', 'sleep', 'running', '')`,
        [`bg_${randomUUID()}`, background],
      )
    })
    expect((await cleanWorkspaces({ engine, directory, now })).sort()).toEqual(idle.sort())
    const stay = [used, touched, kept, running!, waiting!, held!, background!]
    expect((await readdir(directory)).sort()).toEqual([...stay, 'sess_file.txt', '.parley-deployment', 'other'].sort())
    for (const id of stay) expect(await readFile(join(directory, id, 'sub/file.txt'), 'utf8')).toBe('kept')
    const rows = await engine.select('SELECT id FROM sessions WHERE id = ?', [idle[0]])
    expect(rows).toHaveLength(1)
    expect(await cleanWorkspaces({ engine, directory, now })).toEqual([])
    expect(await cleanWorkspaces({ engine, directory, now, days: 20 })).toEqual([used])
  })

  test('directories of deleted sessions go, unless they are new', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    await using data = await workspaceWith({ 'sess_gone/a/b.txt': '', 'sess_new/a.txt': '' })
    await touch(data.path, 'sess_gone', 1)
    await touch(data.path, 'sess_new', 0)
    expect(await cleanWorkspaces({ engine, directory: data.path, now })).toEqual(['sess_gone'])
    expect(await readdir(data.path)).toEqual(['sess_new'])
  })

  test('several instances at once remove each workspace once, and none of them fails', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    await using data = await workspaceWith()
    const ids: string[] = []
    for (let n = 0; n < 12; n++) ids.push(await session(engine, data.path))
    const rounds = await Promise.all(
      Array.from({ length: 4 }, () => cleanWorkspaces({ engine, directory: data.path, now })),
    )
    await cleanWorkspaces({ engine, directory: data.path, now })
    expect([...new Set(rounds.flat())].sort()).toEqual(ids.sort())
    expect(await readdir(data.path)).toEqual([])
  })

  test('a removal that was cut off is finished, and undone when the session is used again', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    await using data = await workspaceWith()
    const [back, merged, gone] = [
      await session(engine, data.path, { daysAgo: 1 }),
      await session(engine, data.path, { daysAgo: 1 }),
      `sess_${randomUUID()}`,
    ]
    for (const id of [back, merged])
      await rename(join(data.path, id), join(data.path, `.leaving-${id}.${randomUUID()}`))
    await mkdir(join(data.path, `.leaving-${gone}.${randomUUID()}/x`), { recursive: true })
    await mkdir(join(data.path, merged))
    await writeFile(join(data.path, merged, 'new.txt'), 'new')
    expect(await cleanWorkspaces({ engine, directory: data.path, now })).toEqual([gone])
    expect((await readdir(data.path)).sort()).toEqual([back, merged].sort())
    for (const id of [back, merged]) expect(await readFile(join(data.path, id, 'sub/file.txt'), 'utf8')).toBe('kept')
    expect(await readFile(join(data.path, merged, 'new.txt'), 'utf8')).toBe('new')
  })
})

describe('the cleaner', () => {
  const [, makePlace] = places[0]

  test('follows no link out of a workspace it removes, and takes no link for a workspace', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    await using outside = await workspaceWith({ 'precious/file.txt': 'precious' })
    await using data = await workspaceWith()
    const id = await session(engine, data.path)
    await symlink(join(outside.path, 'precious'), join(data.path, id, 'sub/link'))
    await symlink(outside.path, join(data.path, 'sess_link'))
    await touch(data.path, id, 40)
    expect(await cleanWorkspaces({ engine, directory: data.path, now })).toEqual([id])
    expect(await readFile(join(outside.path, 'precious/file.txt'), 'utf8')).toBe('precious')
    expect(await readdir(data.path)).toEqual(['sess_link'])
  })

  test('gives a workspace back to a run that began while it was on its way out', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    await using data = await workspaceWith()
    const id = await session(engine, data.path)
    let looks = 0
    const meddled: Engine = Object.create(engine, {
      read: {
        value: async (work: Parameters<Engine['read']>[0]) => {
          if (++looks === 2) await engine.write(() => runRow(id, `chat_${randomUUID()}`, 1))
          return engine.read(work)
        },
      },
    }) as Engine
    expect(await cleanWorkspaces({ engine: meddled, directory: data.path, now })).toEqual([])
    expect(looks).toBe(2)
    expect(await readFile(join(data.path, id, 'sub/file.txt'), 'utf8')).toBe('kept')
  })

  test('leaves everything alone on a volume that is not this deployment’s, and does without a directory', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    await using data = await workspaceWith()
    await session(engine, data.path)
    expect(await cleanWorkspaces({ engine, directory: data.path, now, mayClean: async () => false })).toEqual([])
    expect(await readdir(data.path)).toHaveLength(1)
    expect(await cleanWorkspaces({ engine, directory: join(data.path, 'none'), now })).toEqual([])
  })

  test('cleans every so often until it is disposed', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    await using data = await workspaceWith()
    const onError = vi.fn()
    await session(engine, data.path)
    const cleaner = startWorkspaceCleaner({ engine, directory: data.path, now, onError, everyMs: 5 })
    await vi.waitFor(async () => expect(await readdir(data.path)).toEqual([]), 45_000)
    await cleaner[Symbol.asyncDispose]()
    await session(engine, data.path)
    await cleaner[Symbol.asyncDispose]()
    expect(await readdir(data.path)).toHaveLength(1)
    expect(onError).not.toHaveBeenCalled()
  })
})

test('a clock that jumps forward takes no workspace away before it still says so a round later', async () => {
  await using place = await sqlitePlace()
  await using engine = await place.open()
  await using data = await workspaceWith()
  await session(engine, data.path)
  const onError = vi.fn()
  let time = NOW - 100 * DAY // long before it was last used
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const cleaner = startWorkspaceCleaner({ engine, directory: data.path, now: () => time, onError, everyMs: 1_000 })
    time = NOW
    vi.advanceTimersByTime(1_000)
    await cleaner[Symbol.asyncDispose]() // waits for the round under way
    expect(await readdir(data.path)).toHaveLength(1)
  } finally {
    vi.useRealTimers()
  }
  expect(onError).not.toHaveBeenCalled()
})

test('what a crash left half-made goes from workspaces that stay; what is being made, and what only looks like it, does not', async () => {
  await using place = await sqlitePlace()
  await using engine = await place.open()
  await using data = await workspaceWith({})
  const id = await session(engine, data.path, { daysAgo: 1 })
  const [file, upload] = [temporaryName(), temporaryName()]
  await mkdir(join(data.path, id, upload))
  await writeFile(join(data.path, id, upload, '0'), 'half')
  for (const name of [file, '.mine.tmp', `.${randomUUID()}.tmp`]) await writeFile(join(data.path, id, 'sub', name), '')
  const onError = vi.fn()
  const sweep = async (clock: () => number, isSwept: () => Promise<boolean>) => {
    await using _cleaner = startWorkspaceCleaner({ engine, directory: data.path, now: clock, onError, everyMs: 5 })
    await vi.waitFor(async () => expect(await isSwept()).toBe(true), 45_000)
  }
  const left = async () =>
    (await readdir(join(data.path, id), { recursive: true })).filter((path) => path.includes('tmp'))
  // By this machine's clock they are a moment old.
  let looks = 0
  await sweep(
    () => ++looks && Date.now(),
    async () => looks > 2,
  )
  expect(await left()).toHaveLength(5)
  await sweep(now, async () => (await left()).length < 4)
  expect((await left()).map((path) => path.replace(/[0-9a-f-]{36}/, 'uuid')).sort()).toEqual([
    'sub/.mine.tmp',
    'sub/.uuid.tmp',
  ])
  expect(onError).not.toHaveBeenCalled()
})
