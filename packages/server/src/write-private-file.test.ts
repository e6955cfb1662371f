import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writePrivateFile } from './write-private-file.ts'

test('[D6] several at once leave one of them, whole, and nothing else', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'parley-private-'))
  const texts = Array.from({ length: 20 }, (_, nth) => `${nth} `.repeat(1_000))
  const file = join(directory, 'owner.key')
  await Promise.all(texts.map((text) => writePrivateFile(file, text)))
  expect(texts).toContain(await readFile(file, 'utf8'))
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(directory)).toEqual(['owner.key'])
  await rm(directory, { recursive: true })
})
