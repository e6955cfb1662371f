import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { canMount, smallDisk } from '../store/small-disk.ts'
import { listening, newHome, refused, start } from './home.ts'

test.each(['/proc/x', '/proc/x/y/z', '/proc', '/sys/x', '/dev/null', '/dev/null/x', '/dev/fd/x'])(
  '%s as the data directory ends the start with exit code 3 and says so',
  async (path) => {
    await using home = await newHome()
    await refused(home.path, { env: { PARLEY_DATA_DIR: path }, code: 3 }, [
      /data directory|Cannot write/,
      /PARLEY_DATA_DIR/,
    ])
  },
)

test.skipIf(!canMount)('a disk that is read-only, or full, ends the start with exit code 3', async () => {
  await using home = await newHome()
  using disk = smallDisk(1)
  const data = { PARLEY_DATA_DIR: join(disk.path, 'data') }
  disk.fill()
  await refused(home.path, { env: data, code: 3 }, [/full|no space/i])
  disk.fill(48 * 1024) // too little for a database
  await refused(home.path, { env: data, code: 3 }, [/full|no space/i])
  disk.free()
  spawnSync('mount', ['-o', 'remount,ro', disk.path])
  await refused(home.path, { env: data, code: 3 }, [/EROFS|Cannot write/])
})

test('a database that another program keeps locked ends the start with exit code 3', async () => {
  await using home = await newHome()
  {
    await using server = start(home.path)
    await listening(server)
  }
  using database = new DatabaseSync(join(home.path, 'data/parley.sqlite'))
  database.exec('BEGIN EXCLUSIVE')
  await refused(home.path, { code: 3 }, [/Another program has locked/])
})

test('an empty secret, as a full disk may leave one, is never used', async () => {
  await using home = await newHome()
  await mkdir(join(home.path, 'data'))
  await writeFile(join(home.path, 'data/secret'), '')
  await refused(home.path, { code: 3 }, [/secret is damaged/])
})

test('[D7] nothing in the data directory can be read by other users, also after it once could', async () => {
  await using home = await newHome()
  const data = join(home.path, 'data')
  await mkdir(data, { mode: 0o755 })
  for (const file of ['parley.sqlite', 'server.lock']) {
    await writeFile(join(data, file), '')
    await chmod(join(data, file), 0o644)
  }
  await using server = start(home.path)
  await listening(server)
  const modes = new Map([['.', await modeOf(data)]])
  for (const name of await readdir(data)) modes.set(name, await modeOf(join(data, name)))
  expect([...modes.keys()]).toEqual(
    expect.arrayContaining(['parley.sqlite', 'parley.sqlite-wal', 'secret', 'owner.key']),
  )
  expect([...modes].filter(([, mode]) => mode !== '600' && mode !== '700')).toEqual([])
})

test('a data directory with something else in it is left open, with a warning', async () => {
  await using home = await newHome({ 'holiday.txt': 'mine' })
  await chmod(home.path, 0o755)
  await using server = start(home.path, { PARLEY_DATA_DIR: home.path })
  await server.line(/can be read by other users.*chmod 700/)
  await listening(server)
  expect(await modeOf(home.path)).toBe('755')
})

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8)
}
