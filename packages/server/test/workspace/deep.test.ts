import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { HeldDirectory } from '../../src/workspace/files/held-directory.ts'
import { removeWorkspace } from '../../src/workspace/remove-tree.ts'
import { sweepLeftovers } from '../../src/workspace/sweep-leftovers.ts'
import { sandboxHere, use, workspaceWith } from '../tools/file-ops/use.ts'
import { openSite } from './site.ts'

/** As a command does it: no path is ever as long as the tree is deep. */
async function digDeep(workspace: string, levels = 5_000): Promise<void> {
  const dig = `for (let level = 0; level < ${levels}; level++) { fs.mkdirSync('d'); process.chdir('d') }
    fs.writeFileSync('bottom.txt', 'treasure')`
  await promisify(execFile)(process.execPath, ['-e', dig], { cwd: workspace })
}

/** Whatever the test came to: Node cannot remove what is this deep. */
function removing(directory: string): AsyncDisposable {
  return { [Symbol.asyncDispose]: async () => void (await promisify(execFile)('rm', ['-rf', join(directory, 'd')])) }
}

const deep = (levels: number) => Array.from({ length: levels }, () => 'd').join('/')

test('a path of too many levels is refused wherever it comes in, and makes nothing', async () => {
  await using workspace = await workspaceWith()
  await using site = await openSite(workspace.path)
  const tail = `${deep(2_000)}/a.txt`
  const put = await site.raw('PUT', `/files/${tail}`, { body: JSON.stringify({ content: 'x' }) })
  expect(put.status).toBe(400)
  expect(JSON.parse(put.body)).toMatchObject({ code: 'invalid_path', detail: expect.stringContaining('too deep') })
  expect((await site.raw('GET', `/ls/${tail}`)).status).toBe(400)
  const form = new FormData()
  form.append('files', new Blob(['x']), 'a.txt')
  form.append('files', new Blob(['y']), 'b.txt')
  form.append('paths', JSON.stringify([tail, 'b.txt']))
  const uploaded = await site.upload('/', form)
  expect(await uploaded.json()).toEqual({
    uploaded: ['b.txt'],
    failed: [{ path: tail, error: expect.stringContaining('too deep') }],
  })
  await expect(use(workspace.path, 'Write', { file_path: tail, content: 'x' })).rejects.toThrow('too deep')
  expect(await readdir(workspace.path)).toEqual(['b.txt'])
})

test('a tree that a command made however deep can be listed, downloaded, searched and deleted', async () => {
  await using workspace = await workspaceWith({ 'top.txt': 'treasure\n' })
  await using here = await sandboxHere()
  await using site = await openSite(workspace.path)
  await using _deep = removing(workspace.path)
  await digDeep(workspace.path)
  expect(JSON.parse((await site.raw('GET', '/ls/')).body)).toMatchObject([{ name: 'd' }, { name: 'top.txt' }])
  const archive = await site.fetch('GET', '/download-dir')
  expect(archive.status).toBe(200)
  const entries = unzipSync(new Uint8Array(await archive.arrayBuffer()))
  expect(Object.keys(entries)).toContain('top.txt')
  expect(Object.keys(entries)).toContain(`${deep(100)}/`)
  expect(Buffer.from(entries['LEFT-OUT.txt']!).toString()).toContain(deep(100))
  const found = await use(
    { workspace: workspace.path, sandbox: here.sandbox, signal: AbortSignal.timeout(100_000) },
    'Grep',
    { pattern: 'treasure' },
  )
  expect(found).toContain('top.txt:1:treasure')
  expect((await site.raw('POST', '/files/d/copy')).status).toBe(413)
  expect((await site.fetch('DELETE', '/files/d')).status).toBe(200)
  expect(await readdir(workspace.path)).toEqual(['top.txt'])
}, 120_000)

test('neither sweeping nor the end of a session minds how deep a workspace is', async () => {
  await using all = await workspaceWith({
    'sess_1/.parley-00000000-0000-4000-8000-000000000000.tmp': 'left',
    'sess_2/a': '',
  })
  const one = join(all.path, 'sess_1')
  await using _deep = removing(one)
  await digDeep(one)
  {
    await using held = await HeldDirectory.open(one, one)
    expect(await sweepLeftovers(held, Date.now() + 60_000)).toHaveLength(1)
  }
  await writeFile(join(one, 'a.txt'), '')
  await removeWorkspace(all.path, 'sess_1')
  await removeWorkspace(all.path, 'sess_none')
  expect(existsSync(one)).toBe(false)
  expect(await readdir(all.path)).toEqual(['sess_2'])
}, 120_000)
