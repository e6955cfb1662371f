import { mkdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFile } from '../../src/tools/file-ops/open-file.ts'
import { replaceFile } from '../../src/tools/file-ops/replace-file.ts'
import { removeEntry } from '../../src/workspace/change-entry.ts'
import { copyEntry } from '../../src/workspace/copy-entry.ts'
import { listDirectory } from '../../src/workspace/list-directory.ts'
import { use } from '../tools/file-ops/use.ts'
import { SECRET, setTraps } from './hostile.ts'
import { startSwapping } from './swapper.ts'

const TRIES = 300
const AT_MOST_MS = 1_500

/** What is tried on a file of a directory that is a link to the outside half of the time. Says what it saw. */
const DEEDS: readonly [string, (workspace: string) => Promise<unknown>][] = [
  [
    'reading',
    async (workspace) => {
      await using file = await openFile(workspace, 'swapped/secret.txt')
      return file.handle.readFile('utf8')
    },
  ],
  ['writing', (workspace) => replaceFile(workspace, 'swapped/secret.txt', (file) => file.writeFile('inside'))],
  ['making a file', (workspace) => replaceFile(workspace, 'swapped/new/x.txt', (file) => file.writeFile('inside'))],
  ['listing', (workspace) => listDirectory(workspace, 'swapped')],
  ['copying', (workspace) => copyEntry(workspace, 'swapped/secret.txt')],
  ['Grep', (workspace) => use(workspace, 'Grep', { pattern: 'inside|outside' })],
  ['Grep for names', (workspace) => use(workspace, 'Grep', { pattern: 'e', output_mode: 'files_with_matches' })],
  ['Grep for counts', (workspace) => use(workspace, 'Grep', { pattern: 'e', output_mode: 'count' })],
  ['Glob', (workspace) => use(workspace, 'Glob', { pattern: '**/*' })],
  [
    'removing',
    async (workspace) => {
      await replaceFile(workspace, 'swapped/secret.txt', (file) => file.writeFile('inside'))
      return removeEntry(workspace, 'swapped/secret.txt')
    },
  ],
]

test.each(DEEDS)(
  '%s in a directory that something swaps for a link never leaves the workspace',
  async (_what, deed) => {
    await using traps = await setTraps()
    const { workspace, outside, untouched } = traps
    await unlink(join(workspace, 'hard-link.txt'))
    await mkdir(join(workspace, 'swapped'))
    await writeFile(join(workspace, 'swapped/secret.txt'), 'inside')
    await writeFile(join(outside, 'only-outside.txt'), SECRET)
    await using _swapping = await startSwapping(join(workspace, 'swapped'), outside)
    let done = 0
    const until = performance.now() + AT_MOST_MS
    for (let attempt = 0; attempt < TRIES && performance.now() < until; attempt++) {
      const saw = await deed(workspace).catch((error: Error) => {
        expect(error.name).toBe('AgentError')
        return undefined
      })
      expect(JSON.stringify(saw) ?? '').not.toContain(SECRET)
      expect(JSON.stringify(saw) ?? '').not.toContain('only-outside')
      if (saw !== undefined) done++
    }
    expect(done).toBeGreaterThan(0)
    expect(await traps.lookOutside()).toEqual({ ...untouched, [join(outside, 'only-outside.txt')]: SECRET })
  },
)
