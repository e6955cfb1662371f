import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readFolder } from './read-folder.ts'
import { walkFolder } from './walk-folder.ts'

test('[W12.13.5] a stop ends a walk, and what reads after it, at the next entry', async () => {
  await using folder = await makeFolder()
  const stop = new AbortController()
  const walked = await walkFolder(folder.path, stop.signal)
  stop.abort(new Error('The server is stopping.'))
  await expect(walkFolder(folder.path, stop.signal)).rejects.toThrow('The server is stopping.')
  await expect(readFolder(walked, stop.signal)).rejects.toThrow('The server is stopping.')
})

test('[W12.13.5] a file that was replaced after the walk is not read, whatever its size', async () => {
  await using folder = await makeFolder()
  const walked = await walkFolder(folder.path)
  await rm(join(folder.path, 'a.md'))
  await writeFile(join(folder.path, 'a.md'), 'y')
  expect(await readFolder(walked)).toBeUndefined()
})

test.skipIf(process.getuid?.() === 0)('[W12.13.4] a file that cannot be read is a mistake of the folder', async () => {
  await using folder = await makeFolder()
  await chmod(join(folder.path, 'a.md'), 0)
  await expect(readFolder(await walkFolder(folder.path))).rejects.toThrow(/^a\.md: cannot be read: EACCES/)
})

async function makeFolder() {
  const path = await mkdtemp(join(tmpdir(), 'parley-walk-'))
  await writeFile(join(path, 'a.md'), 'x')
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}
