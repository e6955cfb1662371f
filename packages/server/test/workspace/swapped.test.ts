import { mkdir, rm, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { unzipSync } from 'fflate'
import { afterAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/ports.ts'
import { HeldDirectory } from '../../src/workspace/files/held-directory.ts'
import { placeFiles } from '../../src/skills/place-files.ts'
import { removeWorkspace } from '../../src/workspace/remove-tree.ts'
import { storeFile } from '../../src/workspace/store-file.ts'
import { sweepLeftovers } from '../../src/workspace/sweep-leftovers.ts'
import { sandboxHere, use, workspaceWith } from '../tools/file-ops/use.ts'
import { SECRET, setTraps } from './hostile.ts'
import { openSite, type Site } from './site.ts'
import { startSwapping } from './swapper.ts'

const TRIES = 300
const AT_MOST_MS = 1_500
/** The swapping ends after ten seconds. */
const PATIENCE_MS = 15_000
const LEFTOVER = '.parley-00000000-0000-4000-8000-000000000000.tmp'

const here = await sandboxHere()
afterAll(() => here[Symbol.asyncDispose]())

/** Everything that touches a workspace, done in a directory that is a link to the outside half of the time. Says what it saw. */
type Deed = (place: { workspace: string; site: Site }) => Promise<unknown>

const tool =
  (name: string, input: JsonObject): Deed =>
  ({ workspace }) =>
    use({ workspace, sandbox: here.sandbox }, name, input)

const route =
  (method: string, tail: string, body?: object): Deed =>
  async ({ site }) => {
    const answer = await site.raw(method, tail, body && { body: JSON.stringify(body) })
    expect([200, 400, 404, 422]).toContain(answer.status)
    return answer.status === 200 ? answer.body : undefined
  }

/** First puts the file there, so that there is something to take away. */
const afterWriting =
  (deed: Deed): Deed =>
  async (place) => {
    await place.site.raw('PUT', '/files/swapped/secret.txt', { body: JSON.stringify({ content: 'inside' }) })
    return deed(place)
  }

const DEEDS: readonly [string, Deed][] = [
  ['Read', tool('Read', { file_path: 'swapped/secret.txt' })],
  ['Write', tool('Write', { file_path: 'swapped/secret.txt', content: 'inside' })],
  ['Write of a new file', tool('Write', { file_path: 'swapped/new/x.txt', content: 'inside' })],
  ['Edit', tool('Edit', { file_path: 'swapped/secret.txt', old_string: 'inside', new_string: 'an inside' })],
  ['Edit of what is outside', tool('Edit', { file_path: 'swapped/secret.txt', old_string: 'the', new_string: 'my' })],
  ['Grep', tool('Grep', { pattern: 'inside|outside' })],
  ['Grep there', tool('Grep', { pattern: 'inside|outside', path: 'swapped' })],
  ['Grep for names', tool('Grep', { pattern: 'e', output_mode: 'files_with_matches' })],
  ['Grep for counts', tool('Grep', { pattern: 'e', output_mode: 'count' })],
  ['Glob', tool('Glob', { pattern: '**/*' })],
  ['Glob there', tool('Glob', { pattern: '*', path: 'swapped' })],
  ['GET ls', route('GET', '/ls/swapped')],
  ['GET ls above', route('GET', '/ls')],
  ['GET files', route('GET', '/files/swapped/secret.txt')],
  ['PUT files', route('PUT', '/files/swapped/secret.txt', { content: 'inside' })],
  ['POST copy', route('POST', '/files/swapped/secret.txt/copy')],
  ['POST copy of the directory', route('POST', '/files/swapped/copy')],
  ['POST rename', afterWriting(route('POST', '/files/swapped/secret.txt/rename', { new_name: 'renamed.txt' }))],
  ['DELETE files', afterWriting(route('DELETE', '/files/swapped/secret.txt'))],
  ['POST share-file', route('POST', '/share-file', { source_path: 'swapped/secret.txt' })],
  [
    'POST upload',
    async ({ site }) => {
      const form = new FormData()
      form.append('files', new Blob(['inside']), 'secret.txt')
      form.append('files', new Blob(['inside']), 'uploaded.txt')
      return (await site.upload('/swapped', form)).json()
    },
  ],
  [
    'GET download-dir',
    async ({ site }) => {
      const archive = await site.fetch('GET', '/download-dir')
      if (archive.status !== 200) return undefined
      const entries = unzipSync(new Uint8Array(await archive.arrayBuffer()))
      return Object.entries(entries).map(([name, bytes]) => [name, Buffer.from(bytes).toString()])
    },
  ],
  ['an attachment', ({ workspace }) => storeFile(workspace, 'secret.txt', Buffer.from('inside'))],
  [
    'the files of a skill',
    async ({ workspace }) => {
      await using skill = await workspaceWith({ 'SKILL.md': 'inside', 'secret.txt': 'inside' })
      return await placeFiles({ id: 'swapped', directory: skill.path }, workspace, AbortSignal.timeout(10_000))
    },
  ],
  [
    'sweeping',
    async ({ workspace }) => {
      await writeFile(join(workspace, LEFTOVER), '')
      await using held = await HeldDirectory.open(workspace, workspace)
      return await sweepLeftovers(held, Date.now() + 60_000)
    },
  ],
]

/** Which directory is swapped; most deeds take place in one of that name. */
const PLACES: Record<string, string> = { 'an attachment': 'uploads', 'the files of a skill': '.skills' }

test.each(DEEDS)('%s in a directory that something swaps for a link never leaves the workspace', async (what, deed) => {
  await using traps = await setTraps()
  const { workspace, outside } = traps
  await unlink(join(workspace, 'hard-link.txt'))
  const place = join(workspace, PLACES[what] ?? 'swapped')
  await mkdir(place)
  await writeFile(join(place, 'secret.txt'), 'inside')
  await writeFile(join(outside, 'only-outside.txt'), SECRET)
  await writeFile(join(outside, LEFTOVER), 'left outside')
  const before = await traps.lookOutside()
  await using site = await openSite(workspace)
  await using _swapping = await startSwapping(place, outside)
  let done = 0
  const until = performance.now() + AT_MOST_MS
  const isVain = what === 'Edit of what is outside'
  const isEnough = (attempt: number) =>
    // On a busy machine all may have fallen into the moments of the link; the swapping ends, and one succeeds.
    (attempt >= TRIES || performance.now() >= until) && (isVain || done > 0 || performance.now() >= until + PATIENCE_MS)
  for (let attempt = 0; !isEnough(attempt); attempt++) {
    const saw = await deed({ workspace, site }).catch((error: Error) => {
      expect(error).toMatchObject({ name: 'AgentError' })
      return undefined
    })
    expect(JSON.stringify(saw) ?? '').not.toContain(SECRET)
    expect(JSON.stringify(saw) ?? '').not.toContain('only-outside')
    if (saw !== undefined) done++
  }
  expect(done).toBeGreaterThan(isVain ? -1 : 0)
  expect(await traps.lookOutside()).toEqual(before)
})

describe.skipIf(here.sandbox.level === 'none')('what is outside makes no difference to a search', () => {
  test.each([
    ['lines', { pattern: 'outside secret' }],
    ['lines of one directory', { pattern: 'outside secret', path: 'swapped' }],
    ['lines of one file', { pattern: 'outside secret', path: 'swapped/secret.txt' }],
    ['names', { pattern: 'outside secret', output_mode: 'files_with_matches' }],
    ['counts', { pattern: 'outside secret', output_mode: 'count' }],
  ])('Grep finds no %s that are only there', async (_what, input) => {
    await using traps = await setTraps()
    const { workspace, outside } = traps
    await unlink(join(workspace, 'hard-link.txt'))
    await mkdir(join(workspace, 'swapped'))
    await writeFile(join(workspace, 'swapped/secret.txt'), 'inside')
    await using _swapping = await startSwapping(join(workspace, 'swapped'), outside)
    const said = new Set<string>()
    const until = performance.now() + AT_MOST_MS
    while (performance.now() < until) {
      const found = await use({ workspace, sandbox: here.sandbox }, 'Grep', input).catch(
        ({ message }: Error) => message,
      )
      said.add(typeof found === 'string' ? found : JSON.stringify(found))
    }
    said.delete('No matches.')
    // What it says about the path itself it says of the names inside, whatever they lead to.
    for (const text of said)
      expect(text).toMatch(
        /^(?:The directory )?swapped\S* (is outside the workspace|does not exist|is a link|is not a directory)/,
      )
  })
})

test('deleting a session while something swaps its directories removes nothing outside', async () => {
  await using traps = await setTraps()
  const { workspace } = traps
  await rm(join(workspace, 'hard-link.txt'))
  for (let index = 0; index < 200; index++) {
    await mkdir(join(workspace, `before-${index}/deep`), { recursive: true })
    await writeFile(join(workspace, `before-${index}/deep/a.txt`), '')
  }
  await mkdir(join(workspace, 'swapped'))
  await using _swapping = await startSwapping(join(workspace, 'swapped'), traps.outside)
  await removeWorkspace(dirname(workspace), basename(workspace)).catch(() => undefined)
  expect(await traps.lookOutside()).toEqual(traps.untouched)
})
