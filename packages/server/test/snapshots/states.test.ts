import { execFile } from 'node:child_process'
import { chmod, lstat, mkdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { places } from '../store/place.ts'
import { never, Site } from './site.ts'

const MiB = 1024 ** 2
const bytes = (length: number, seed = 1) => Buffer.alloc(length, Buffer.from([0, seed, 255, 10, seed * 3]))
/** Root may read everything. */
const isRoot = process.getuid?.() === 0

describe.each(places)('on %s', (_kind, makePlace) => {
  async function openSite(options?: Parameters<typeof Site.open>[1]) {
    const parts = new AsyncDisposableStack()
    const place = parts.use(await makePlace())
    const engine = parts.use(await place.open())
    const site = parts.use(await Site.open(engine, options))
    return { site, engine, [Symbol.asyncDispose]: () => parts.disposeAsync() }
  }

  test('[W12.1] the state before a user turn is the first that was taken since, once for each turn', async () => {
    await using opened = await openSite()
    const { site } = opened
    await site.put({ 'a.txt': 'before everything' })
    await site.change()
    expect(await site.states(), 'before the first message there is nothing to go back to').toEqual([])
    await site.say(1)
    await site.change()
    await site.put({ 'a.txt': 'after 1', 'new.txt': 'made by 1' })
    await site.change()
    await site.put({ 'a.txt': 'after 1, again' })
    const afterFirst = await site.look()
    await site.say(4)
    await site.say(7)
    await site.change()
    await site.put({ 'a.txt': 'after 7' })
    expect(await site.states()).toEqual(['1', '7'])

    expect(await site.restore(9)).toMatchObject({ restored: false, reason: 'unchanged' })
    expect(await site.restore(4), 'turn 4 changed nothing, so the state is that of turn 7').toEqual({ restored: true })
    expect(await site.look()).toEqual(afterFirst)
    expect(await site.restore(1)).toEqual({ restored: true })
    expect(await site.look()).toEqual({ 'a.txt': '644 before everything' })
    expect(await site.restore(7), 'and forward again').toEqual({ restored: true })
    expect(await site.look()).toEqual(afterFirst)
  })

  test('[W12.1] what a file route changes between two messages belongs to the first of them', async () => {
    await using opened = await openSite()
    const { site } = opened
    await site.say(1)
    await site.change()
    await site.put({ 'by-hand.txt': 'x' })
    await site.say(3)
    await site.change()
    await site.put({ 'by-hand.txt': 'y' })
    await site.restore(3)
    expect(await site.look()).toEqual({ 'by-hand.txt': '644 x' })
    await site.restore(1)
    expect(await site.look()).toEqual({})
  })

  test('[W12.1] going back is a change, too: what there was can be gone back to, also under a name', async () => {
    await using opened = await openSite()
    const { site } = opened
    await site.put({ 'a.txt': 'one' })
    await site.say(1)
    await site.change()
    await site.put({ 'a.txt': 'two' })
    await site.say(4)
    await site.snapshots.keep(site.session_id, 'branch_1', never)
    await site.put({ 'a.txt': 'two, by something that did not say so' })
    await site.snapshots.keep(site.session_id, 'branch_1', never)
    await site.restore(1)
    expect(await site.look()).toEqual({ 'a.txt': '644 one' })
    expect(await site.states()).toEqual(['1', '4', '4 branch_1'])
    expect(await site.snapshots.restore(site.session_id, { name: 'branch_1' }, never)).toEqual({ restored: true })
    expect(await site.look()).toEqual({ 'a.txt': '644 two' })
    expect(await site.snapshots.restore(site.session_id, { name: 'branch_2' }, never)).toMatchObject({ reason: 'gone' })
  })

  test('an unchanged workspace is walked, not read: nothing is written', async () => {
    await using opened = await openSite()
    const { site } = opened
    await site.put({ 'a.txt': 'small', 'sub/large.bin': bytes(8 * MiB) })
    await site.say(1)
    await site.change()
    const kept = await keptFiles(site)
    expect(Object.keys(kept)).toHaveLength(2)
    await site.say(2)
    const before = await bytesRead()
    await site.change()
    expect((await bytesRead()) - before).toBeLessThan(4 * MiB)
    expect(await site.states()).toEqual(['1', '2'])
    expect(await keptFiles(site)).toEqual(kept)
  })

  test('a file whose size and time were made to look the same is read again', async () => {
    await using opened = await openSite()
    const { site } = opened
    const at = new Date(Date.now() - 60_000)
    await site.put({ 'a.txt': 'one' })
    await utimes(site.at('a.txt'), at, at)
    await site.say(1)
    await site.change()
    await writeFile(site.at('a.txt'), 'two')
    await utimes(site.at('a.txt'), at, at)
    await site.say(2)
    await site.change()
    await site.put({ 'a.txt': 'three' })
    await site.restore(2)
    expect(await site.look()).toEqual({ 'a.txt': '644 two' })
    await site.restore(1)
    expect(await site.look()).toEqual({ 'a.txt': '644 one' })
  })

  test('so is one that changed just before: it may change once more within a tick of its clock', async () => {
    await using opened = await openSite({ aheadMs: 0 })
    const { site } = opened
    await site.put({ 'a.bin': bytes(8 * MiB) })
    await site.say(1)
    await site.change()
    await site.say(2)
    const before = await bytesRead()
    await site.change()
    expect((await bytesRead()) - before).toBeGreaterThan(8 * MiB)
  })

  test('modes, links, empty directories, hidden files, strange names, binary and large files come back as they were', async () => {
    await using opened = await openSite()
    const { site } = opened
    await site.put({
      'run.sh': '#!/bin/sh\n',
      'read-only.txt': 'x',
      '.hidden/.deep': 'h',
      'line\nbreak "quoted" \\ 文件 \u{1f600}.txt': 'names',
      'empty.txt': '',
      'zeros.bin': Buffer.from([0, 255, 0, 10, 13, 128]),
      'large.bin': bytes(5 * MiB, 7),
      'exact.bin': bytes(MiB, 3),
    })
    await chmod(site.at('run.sh'), 0o755)
    await chmod(site.at('read-only.txt'), 0o444)
    await mkdir(site.at('empty/deeper'), { recursive: true })
    await mkdir(site.at('private'))
    await chmod(site.at('private'), 0o700)
    await symlink('run.sh', site.at('link'))
    await symlink('nowhere', site.at('dangling'))
    await symlink('/etc', site.at('out'))
    const before = await site.look()
    await site.say(1)
    await site.change()
    for (const name of Object.keys(await site.look())) await rm(site.at(name), { recursive: true, force: true })
    await site.put({ 'run.sh/now-a-directory': 'x', out: 'now a file', 'large.bin': bytes(5 * MiB, 8) })
    await symlink('elsewhere', site.at('link'))
    await symlink('large.bin', site.at('empty.txt'))
    await site.restore(1)
    expect(await site.look()).toEqual(before)
    const inodes = await inodesOf(site)
    await site.restore(1)
    expect(await inodesOf(site), 'the second time there is nothing to write').toEqual(inodes)
  })

  test('a file that becomes a directory, and a directory that becomes a file, go back and forth', async () => {
    await using opened = await openSite()
    const { site } = opened
    await site.put({ one: 'a file', 'two/inside': 'in a directory' })
    const first = await site.look()
    await site.say(1)
    await site.change()
    for (const name of ['one', 'two']) await rm(site.at(name), { recursive: true })
    await site.put({ 'one/inside': 'in a directory', two: 'a file' })
    const second = await site.look()
    await site.say(2)
    await site.change()
    await site.restore(1)
    expect(await site.look()).toEqual(first)
    await site.restore(2)
    expect(await site.look()).toEqual(second)
  })

  test('pipes are not kept, and not removed; nor is what others have half-made', async () => {
    await using opened = await openSite()
    const { site } = opened
    const half = '.parley-00000000-0000-4000-8000-000000000000.tmp'
    await site.put({ 'a.txt': 'a', [half]: 'half' })
    await promisify(execFile)('mkfifo', [site.at('pipe')])
    await site.say(1)
    await site.change()
    await site.put({ 'a.txt': 'b', [half]: 'more than half' })
    await promisify(execFile)('mkfifo', [site.at('new-pipe')])
    await site.restore(1)
    const pipes = { pipe: 'special', 'new-pipe': 'special' }
    expect(await site.look()).toEqual({ 'a.txt': '644 a', [half]: '644 more than half', ...pipes })
  })

  test.skipIf(isRoot)('what cannot be read stays what it is, and what was shut since is opened again', async () => {
    await using opened = await openSite()
    const { site } = opened
    await site.put({ 'unreadable.txt': 'x', 'shut/inside.txt': 'x', 'open/inside.txt': 'one', 'later.txt': 'one' })
    await chmod(site.at('unreadable.txt'), 0)
    await chmod(site.at('shut'), 0)
    await site.say(1)
    await site.change()
    expect(await site.states()).toEqual(['1'])
    await site.put({ 'open/inside.txt': 'two', 'later.txt': 'two', 'new/below/x': 'x' })
    for (const path of ['later.txt', 'open', 'new/below', 'new']) await chmod(site.at(path), 0)
    await site.restore(1)
    for (const path of ['unreadable.txt', 'shut']) {
      expect((await lstat(site.at(path))).mode & 0o777).toBe(0)
      await chmod(site.at(path), 0o755)
    }
    expect(await site.look()).toEqual({
      'unreadable.txt': '755 x',
      'shut/': '755',
      'shut/inside.txt': '644 x',
      'open/': '755',
      'open/inside.txt': '644 one',
      'later.txt': '644 one',
    })
  })

  test('moved and copied files are kept once', async () => {
    await using opened = await openSite()
    const { site } = opened
    await site.put({ 'a/large.bin': bytes(2 * MiB), 'a/small.txt': 'x'.repeat(100_000) })
    await site.say(1)
    await site.change()
    await rename(site.at('a'), site.at('b'))
    await site.put({ 'copy.bin': bytes(2 * MiB) })
    await site.say(2)
    await site.change()
    const kept = await site.kept()
    expect(kept.filter((name) => !name.startsWith('p-'))).toHaveLength(1)
    const packs = Object.entries(await keptFiles(site)).filter(([name]) => name.startsWith('p-'))
    expect(packs.map(([, { size }]) => size > 100_000)).toEqual(expect.arrayContaining([false, true]))
    expect(packs).toHaveLength(2)
  })

  test.each([
    ['too_many_files', { entries: 3 }],
    ['too_large', { bytes: 10 }],
  ])('a workspace beyond a limit keeps no state, and going back says %s', async (problem, limits) => {
    await using opened = await openSite({ limits })
    const { site } = opened
    await site.put({ a: 'aaaa', b: 'bbbb', c: 'cccc', d: 'dddd' })
    await site.say(1)
    await site.change()
    await rm(site.at('a'))
    await rm(site.at('b'))
    await site.say(2)
    await site.change()
    expect(await site.states()).toEqual([`1 ${problem}`, '2'])
    expect(site.lines).toMatchObject([{ problem, session_id: site.session_id }])
    expect(await site.restore(1), 'not the next state, which others have changed').toMatchObject({ reason: problem })
    expect(await site.look()).toEqual({ c: '644 cccc', d: '644 dddd' })
    expect(await site.restore(2)).toEqual({ restored: true })
  })

  test.each([
    ['small', 'x'],
    ['large', bytes(2 * MiB)],
  ])('a state never takes the last of the disk (%s files)', async (_size, content) => {
    await using opened = await openSite({ limits: { freeBytes: Number.MAX_SAFE_INTEGER } })
    const { site } = opened
    await site.put({ a: content })
    await site.say(1)
    await site.change()
    expect(await site.states()).toEqual(['1 no_space'])
    expect(await site.kept()).toEqual([])
  })

  test('directories too deep to hold open are said, not followed', async () => {
    await using opened = await openSite()
    const { site } = opened
    await mkdir(site.at('d/'.repeat(120)), { recursive: true })
    await site.say(1)
    await site.change()
    expect(await site.states()).toEqual(['1 too_deep'])
  })

  test('the oldest states go when a session has too much, and going back says so', async () => {
    await using opened = await openSite({ limits: { sessionBytes: 5 * MiB } })
    const { site } = opened
    for (const turn of [1, 2, 3, 4]) {
      await site.put({ 'large.bin': bytes(2 * MiB, turn) })
      await site.say(turn)
      await site.change()
    }
    await site.put({ 'large.bin': 'last' })
    expect(await site.states()).toEqual(['1 dropped', '2 dropped', '3', '4'])
    expect((await site.kept()).filter((name) => !name.startsWith('p-'))).toHaveLength(2)
    expect(await site.restore(1)).toMatchObject({ restored: false, reason: 'dropped' })
    expect(await site.restore(3)).toEqual({ restored: true })
  })

  test('contents that no state has are swept after a while, and those that are gone are said before anything is touched', async () => {
    await using opened = await openSite()
    const { site } = opened
    await site.put({ 'a.txt': 'one', 'large.bin': bytes(2 * MiB) })
    await site.say(1)
    await site.change()
    const directory = join(site.snapshots.directory, site.session_id)
    const old = new Date(Date.now() - 24 * 60 * 60 * 1_000)
    for (const name of ['p-left', 'p-fresh']) await writeFile(join(directory, name), 'left by a crash')
    await utimes(join(directory, 'p-left'), old, old)
    await site.put({ 'a.txt': 'two', 'large.bin': 'small' })
    await site.say(2)
    await site.change()
    expect(await site.kept()).not.toContain('p-left')
    expect(await site.kept()).toContain('p-fresh')
    const large = (await site.kept()).find((name) => !name.startsWith('p-'))!
    await rm(join(directory, large))
    const before = await site.look()
    expect(await site.restore(1)).toMatchObject({ restored: false, reason: 'gone' })
    expect(await site.look()).toEqual(before)
  })

  test('what was damaged on disk is not put back', async () => {
    await using opened = await openSite()
    const { site } = opened
    await site.put({ 'large.bin': bytes(2 * MiB) })
    await site.say(1)
    await site.change()
    await site.put({ 'large.bin': 'mine' })
    const large = (await site.kept()).find((name) => !name.startsWith('p-'))!
    await writeFile(join(site.snapshots.directory, site.session_id, large), bytes(2 * MiB, 9))
    expect(await site.restore(1)).toMatchObject({ restored: false, reason: 'gone' })
    expect(await site.look()).toEqual({ 'large.bin': '644 mine' })
  })

  test('two sessions with the same files have nothing in common', async () => {
    await using opened = await openSite()
    const { site, engine } = opened
    await using other = await Site.open(engine, { dataDir: site.dataDir })
    for (const one of [site, other]) {
      await one.put({ 'same.bin': bytes(2 * MiB), 'small.txt': 'same' })
      await one.say(1)
      await one.change()
    }
    const directory = join(site.snapshots.directory, site.session_id)
    expect((await lstat(directory)).mode & 0o777).toBe(0o700)
    expect((await lstat(site.snapshots.directory)).mode & 0o777).toBe(0o700)
    await rm(directory, { recursive: true })
    await other.put({ 'same.bin': 'other' })
    expect(await other.restore(1)).toEqual({ restored: true })
    expect((await lstat(other.at('same.bin'))).size).toBe(2 * MiB)
  })

  test('many at once, on two instances: one state, from before all of their changes', async () => {
    await using opened = await openSite()
    const { site, engine } = opened
    await using second = await Site.open(engine, { dataDir: site.dataDir, session_id: site.session_id })
    await site.put(Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}`, `content ${at}`])))
    const before = await site.look()
    await site.say(1)
    await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        await (at % 2 ? site : second).change()
        await site.put({ [`f${at}`]: 'changed', [`new-${at}`]: 'new' })
      }),
    )
    expect(await site.states()).toEqual(['1'])
    await site.restore(1)
    expect(await site.look()).toEqual(before)
  })

  test('an abort ends it within a moment, and the next one to change something takes the state', async () => {
    await using opened = await openSite()
    const { site } = opened
    await site.put({ 'a.txt': 'one' })
    await site.say(1)
    await site.snapshots.beforeWrite(site.session_id, AbortSignal.abort())
    expect(await site.states()).toEqual([])
    expect(site.lines).toEqual([])
    await site.change()
    expect(await site.states()).toEqual(['1'])
  })

  test('a session that is gone gets no state', async () => {
    await using opened = await openSite()
    const { site, engine } = opened
    await site.say(1)
    await engine.write(function* () {
      yield { sql: 'DELETE FROM gates', parameters: [] }
    })
    await site.change()
    expect(await site.states()).toEqual([])
  })
})

async function inodesOf(site: Site): Promise<number[]> {
  return Promise.all(Object.keys(await site.look()).map(async (path) => (await lstat(site.at(path))).ino))
}

async function keptFiles(site: Site): Promise<Record<string, { size: number; mtimeMs: number }>> {
  const directory = join(site.snapshots.directory, site.session_id)
  const stats = async (name: string) => {
    const { size, mtimeMs } = await lstat(join(directory, name))
    return [name, { size, mtimeMs }] as const
  }
  return Object.fromEntries(await Promise.all((await site.kept()).map(stats)))
}

/** By this process so far, from wherever. */
async function bytesRead(): Promise<number> {
  return Number(/rchar: (\d+)/.exec(await readFile('/proc/self/io', 'utf8'))![1])
}
