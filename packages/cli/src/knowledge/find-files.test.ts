import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findFiles } from './find-files.ts'

async function folderOf(files: Record<string, string>) {
  const path = await mkdtemp(join(tmpdir(), 'parley-docs-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), text)
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}

test('a directory’s documents have paths below it for names, and their first folder for a category', async () => {
  await using folder = await folderOf({ 'a.md': '', 'sales/b.PDF': '', 'sales/deep/c.html': '', 'x.exe': '' })
  const { files, leftOut } = await findFiles(folder.path, 10)
  expect(files.map(({ source, category }) => [source, category])).toEqual([
    ['a.md', basename(folder.path)],
    ['sales/b.PDF', 'sales'],
    ['sales/deep/c.html', 'sales'],
  ])
  expect(leftOut).toEqual({ hidden: 0, links: 0, kinds: 1 })
})

test('what is hidden, another’s package or elsewhere stays out, and is counted', async () => {
  await using elsewhere = await folderOf({ 'secret.md': 'secret', 'folder/more.md': 'secret' })
  await using folder = await folderOf({ 'a.md': '', '.git/b.md': '', '.c.md': '', 'node_modules/p/README.md': '' })
  await symlink(join(elsewhere.path, 'secret.md'), join(folder.path, 'leads-out.md'))
  await symlink(join(elsewhere.path, 'folder'), join(folder.path, 'folder-out'))
  await symlink(folder.path, join(folder.path, 'circle'))
  await symlink(join(folder.path, 'nowhere.md'), join(folder.path, 'broken.md'))
  await symlink(join(folder.path, 'a.md'), join(folder.path, 'within.md'))
  const { files, leftOut } = await findFiles(folder.path, 10)
  expect(files.map(({ source }) => source)).toEqual(['a.md', 'within.md'])
  expect(leftOut).toEqual({ hidden: 3, links: 4, kinds: 0 })
})

test('one file is itself, in the category of its folder', async () => {
  await using folder = await folderOf({ 'sales/b.md': 'text' })
  expect(await findFiles(join(folder.path, 'sales/b.md'), 10)).toMatchObject({
    isDirectory: false,
    files: [{ source: 'b.md', category: 'sales', size: 4 }],
  })
})

test('more documents than may be are refused, not cut off', async () => {
  await using folder = await folderOf({ 'a.md': '', 'b.md': '', 'c.md': '' })
  await expect(findFiles(folder.path, 2)).rejects.toMatchObject({ name: 'TooManyFilesError' })
})

test.skipIf(process.getuid?.() === 0)(
  'a folder that cannot be read is named, and the others are not lost',
  async () => {
    await using folder = await folderOf({ 'a.md': '', 'shut/b.md': '' })
    await chmod(join(folder.path, 'shut'), 0)
    const { files, unread } = await findFiles(folder.path, 10)
    await chmod(join(folder.path, 'shut'), 0o700)
    expect(files.map(({ source }) => source)).toEqual(['a.md'])
    expect(unread).toMatchObject([{ source: 'shut' }])
  },
)
