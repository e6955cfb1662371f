import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sqlitePlace } from '../store/place.ts'
import { canMount, smallDisk } from '../store/small-disk.ts'
import { SECRET, setTraps } from '../workspace/hostile.ts'
import { startSwapping } from '../workspace/swapper.ts'
import { Site } from './site.ts'

const TURNS = 150

test(
  'a directory that is swapped for a link, again and again, never lets a state look outside',
  { timeout: 30_000 },
  async () => {
    await using place = await sqlitePlace()
    await using engine = await place.open()
    await using traps = await setTraps()
    await using site = await Site.open(engine)
    await site.put({ 'swapped/inside.txt': 'inside', 'file.txt': 'x' })
    {
      await using _swapping = await startSwapping(site.at('swapped'), traps.outside)
      for (let turn = 1; turn <= TURNS; turn++) {
        await site.say(turn)
        await site.change()
      }
    }
    expect(await site.states()).toHaveLength(TURNS)
    const directory = join(site.snapshots.directory, site.session_id)
    for (const name of await site.kept()) expect(await readFile(join(directory, name), 'latin1')).not.toContain(SECRET)
    expect(await traps.lookOutside()).toEqual(traps.untouched)
  },
)

test('a file that is swapped for a link is kept as one or the other', { timeout: 30_000 }, async () => {
  await using place = await sqlitePlace()
  await using engine = await place.open()
  await using traps = await setTraps()
  await using site = await Site.open(engine)
  await site.put({ 'swapped.txt': 'inside' })
  const secret = join(traps.outside, 'secret.txt')
  const seen = new Set<string | undefined>()
  {
    await using _swapping = await startSwapping(site.at('swapped.txt'), secret)
    for (let turn = 1; turn <= TURNS; turn++) {
      await site.say(turn)
      await site.change()
    }
  }
  for (let turn = 1; turn <= TURNS; turn += 10) {
    expect(await site.restore(turn)).toEqual({ restored: true })
    seen.add((await site.look())['swapped.txt'])
  }
  for (const one of seen) expect(['644 inside', `-> ${secret}`, undefined]).toContain(one)
  expect(await traps.lookOutside()).toEqual(traps.untouched)
})

test('going back through links that lead out touches nothing outside', async () => {
  await using place = await sqlitePlace()
  await using engine = await place.open()
  await using traps = await setTraps()
  await using site = await Site.open(engine)
  await site.put({ 'link-dir/secret.txt': 'mine', 'deep/inner.txt': 'mine', 'link-file': 'mine' })
  const before = await site.look()
  await site.say(1)
  await site.change()
  // Everything is a trap now.
  await rm(site.workspace, { recursive: true })
  await cp(traps.workspace, site.workspace, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (from) => !/\/(pipe|socket)$/.test(from),
  })
  await site.restore(1)
  expect(await site.look()).toEqual(before)
  expect(await traps.lookOutside()).toEqual(traps.untouched)
})

test.skipIf(!canMount)('[D7] a full disk costs the state, with a reason, and stops nobody', async () => {
  await using place = await sqlitePlace()
  await using engine = await place.open()
  using disk = smallDisk(8)
  await using site = await Site.open(engine, { dataDir: join(disk.path, 'data'), limits: { freeBytes: 0 } })
  await mkdir(site.workspace, { recursive: true })
  await writeFile(site.at('large.bin'), Buffer.alloc(3 * 1024 ** 2, 1))
  await site.put({ 'small.txt': 'x' })
  await site.say(1)
  disk.fill(100_000)
  await site.change()
  expect(await site.states()).toEqual(['1 no_space'])
  expect(await site.kept()).toEqual([])
  disk.free()
  expect(await site.restore(1)).toMatchObject({ restored: false, reason: 'no_space' })
  await site.say(2)
  await site.change()
  await site.put({ 'small.txt': 'y' })
  disk.fill()
  // It does not fit, so nothing of it is there: the file is what it was before.
  await writeFile(site.at('large.bin'), '')
  disk.fill()
  await expect(site.restore(2)).rejects.toMatchObject({ code: 'storage_full' })
  expect((await readdir(site.workspace)).sort()).toEqual(['large.bin', 'small.txt'])
  disk.free()
  expect(await site.restore(2)).toEqual({ restored: true })
  expect((await site.look())['small.txt']).toBe('644 x')
})
