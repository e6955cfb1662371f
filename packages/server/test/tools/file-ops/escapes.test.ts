import { link, mkdir, readFile, rename, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/ports.ts'
import { holdDirectory, holdEntry } from '../../../src/workspace/files/hold.ts'
import { onlyInside } from '../../../src/workspace/files/only-inside.ts'
import { HOSTILE_PATHS, SECRET, setTraps, type Trapped } from '../../workspace/hostile.ts'
import { use, workspaceWith } from './use.ts'

const CALLS: readonly [tool: string, input: (path: string) => JsonObject][] = [
  ['Read', (file_path) => ({ file_path })],
  ['Write', (file_path) => ({ file_path, content: 'owned' })],
  ['Edit', (file_path) => ({ file_path, old_string: 'secret', new_string: 'owned' })],
  ['Glob', (path) => ({ path, pattern: '**/*' })],
  ['Grep', (path) => ({ path, pattern: '.' })],
]

let traps: Trapped

beforeAll(async () => {
  traps = await setTraps()
})
afterAll(() => traps[Symbol.asyncDispose]())

describe.each(CALLS)('%s', (tool, input) => {
  test.each(HOSTILE_PATHS)('refuses %s, at once, and touches nothing outside', async (_what, path) => {
    const { workspace } = traps
    const refusal = await use(workspace, tool, input(path)).catch((error: Error) => error)
    expect(refusal).toBeInstanceOf(Error)
    expect((refusal as Error).name).toBe('AgentError')
    expect((refusal as Error).message).not.toContain(SECRET)
    expect((refusal as Error).message).not.toContain('/fd/')
    expect(await traps.lookOutside()).toEqual(traps.untouched)
  })
})

test.each(['Write', 'Edit'])(
  '%s changes the name inside, never the file outside that a hard link shares',
  async (tool) => {
    const { workspace, outside } = traps
    const file_path = `hard-${tool}.txt`
    await link(join(outside, 'secret.txt'), join(workspace, file_path))
    const input = CALLS.find(([name]) => name === tool)![1](file_path)
    await use(workspace, tool, input)
    expect(await readFile(join(workspace, file_path), 'utf8')).toContain('owned')
    expect(await traps.lookOutside()).toEqual(traps.untouched)
  },
)

test.each(['Glob', 'Grep'])('%s over the whole workspace follows no link and waits for no pipe', async (tool) => {
  const { workspace } = traps
  await unlink(join(workspace, 'hard-link.txt')).catch(() => undefined)
  for (const name of ['hard-Write.txt', 'hard-Edit.txt']) await unlink(join(workspace, name)).catch(() => undefined)
  const found = JSON.stringify(await use(workspace, tool, { pattern: tool === 'Glob' ? '**/*' : '.' }))
  expect(found).toContain('deep/inner.txt')
  expect(found).not.toMatch(/secret|link-|pipe|socket/)
})

test('an absolute path into the workspace is as good as a relative one', async () => {
  await using workspace = await workspaceWith({ 'a/b.txt': 'inside' })
  expect(await use(workspace.path, 'Read', { file_path: join(workspace.path, 'a/b.txt') })).toBe('1\tinside')
  await use(workspace.path, 'Write', { file_path: join(workspace.path, 'a/c.txt'), content: 'new' })
  expect(await use(workspace.path, 'Glob', { pattern: '*', path: join(workspace.path, 'a') })).toEqual([
    'a/b.txt',
    'a/c.txt',
  ])
})

test('links that stay inside are followed, and writing through one keeps it', async () => {
  await using workspace = await workspaceWith({ 'real.txt': 'inside' })
  await symlink('real.txt', join(workspace.path, 'alias'))
  expect(await use(workspace.path, 'Read', { file_path: 'alias' })).toBe('1\tinside')
  await use(workspace.path, 'Write', { file_path: 'alias', content: 'changed' })
  expect(await readFile(join(workspace.path, 'real.txt'), 'utf8')).toBe('changed')
  expect(await readFile(join(workspace.path, 'alias'), 'utf8')).toBe('changed')
})

test('a directory that is swapped for a link after the look is still the directory that was looked at', async () => {
  const { workspace, outside } = traps
  await mkdir(join(workspace, 'swapped'))
  await using entry = await holdEntry(workspace, 'swapped/secret.txt')
  await rename(join(workspace, 'swapped'), join(workspace, 'moved'))
  await symlink(outside, join(workspace, 'swapped'))
  await writeFile(entry.at, 'stays inside')
  expect(await readFile(join(workspace, 'moved/secret.txt'), 'utf8')).toBe('stays inside')
  expect(await traps.lookOutside()).toEqual(traps.untouched)
  await expect(holdDirectory(workspace, 'swapped')).rejects.toThrow('outside the workspace')
})

test('of the names that a search brings back only files inside the workspace are told', async () => {
  const { workspace } = traps
  const names = [
    'link-dir/secret.txt',
    'deep/inner.txt',
    'link-file',
    'pipe',
    'deep',
    'none.txt',
    '../outside/secret.txt',
  ]
  expect(await onlyInside(workspace, names)).toEqual(['deep/inner.txt'])
})
