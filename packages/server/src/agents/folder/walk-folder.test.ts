import { mkdtemp, rm, writeFile } from 'node:fs/promises'
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
  await expect(readFolder(walked)).rejects.toThrow('a.md: was changed while it was read')
})

async function makeFolder() {
  const path = await mkdtemp(join(tmpdir(), 'parley-walk-'))
  await writeFile(join(path, 'a.md'), 'x')
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}
