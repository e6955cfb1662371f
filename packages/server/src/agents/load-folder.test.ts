import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { walkFolder } from './folder/walk-folder.ts'
import { loadFolder, type LoadOptions } from './load-folder.ts'

test('[W12.13.3] a folder that goes away while it is read is no failure, and no version', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'parley-load-'))
  await mkdir(join(directory, 'support'))
  const walked = await walkFolder(join(directory, 'support'))
  await rm(directory, { recursive: true })
  const options = { signal: new AbortController().signal, inTurn: async (work) => work() } as LoadOptions
  expect(await loadFolder({ name: 'support', stored: 'support', directory, walked }, options)).toBeUndefined()
})
