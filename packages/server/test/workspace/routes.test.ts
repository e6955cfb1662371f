import { randomBytes } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, symlink, utimes } from 'node:fs/promises'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { expect, test, vi } from 'vitest'
import { workspaceWith } from '../tools/file-ops/use.ts'
import { openSite } from './site.ts'

test('[W12.3] ls lists directories first, then by name, and the root under each of its names', async () => {
  await using workspace = await workspaceWith({ 'b.txt': 'four', 'a/x': '', 'z/y': '', 'A.txt': '' })
  await symlink('z', join(workspace.path, 'link'))
  await using site = await openSite(workspace.path)
  const root = await (await site.fetch('GET', '/ls')).json()
  const names = (root as { name: string; type: string }[]).map(({ name, type }) => [name, type])
  expect(names).toEqual([
    ['a', 'directory'],
    ['link', 'directory'],
    ['z', 'directory'],
    ['A.txt', 'file'],
    ['b.txt', 'file'],
  ])
  expect(root).toContainEqual({
    name: 'b.txt',
    path: 'b.txt',
    type: 'file',
    is_dir: false,
    size: 4,
    modified_at: (await stat(join(workspace.path, 'b.txt'))).mtime.toISOString(),
  })
  for (const tail of ['/ls/', '/ls/.', '/ls/./', '/ls/%2E'])
    expect(JSON.parse((await site.raw('GET', tail)).body)).toEqual(root)
  expect(root).toContainEqual(expect.objectContaining({ name: 'a', path: 'a', type: 'directory', is_dir: true }))
  for (const tail of ['/ls/a', '/ls/a/', '/ls/%2E%2Fa'])
    expect(JSON.parse((await site.raw('GET', tail)).body)).toMatchObject([{ name: 'x', path: 'a/x' }])
})

test.each([
  ['GET', '/ls/none', { status: 404, code: 'not_found' }],
  ['GET', '/ls/b.txt', { status: 400, code: 'invalid_path' }],
  ['GET', '/files/none.txt', { status: 404, code: 'not_found' }],
  ['GET', '/files/a', { status: 400, code: 'invalid_path' }],
  ['GET', '/files/..%2Fx', { status: 400, code: 'invalid_path' }],
  ['GET', '/files//etc/passwd', { status: 400, code: 'invalid_path' }],
  ['GET', '/files/%2Fetc%2Fpasswd', { status: 400, code: 'invalid_path' }],
  ['PUT', '/files/a', { status: 400, code: 'invalid_path' }],
  ['DELETE', '/files/none.txt', { status: 404, code: 'not_found' }],
  ['DELETE', '/files/.', { status: 400, code: 'invalid_path' }],
  ['POST', '/files/none.txt/copy', { status: 404, code: 'not_found' }],
  ['POST', '/files/b.txt', { status: 404, code: 'not_found' }],
  ['POST', '/files/b.txt/%72ename', { status: 404, code: 'not_found' }],
  ['POST', '/files/b.txt%2Frename', { status: 404, code: 'not_found' }],
  ['GET', '/download-dir/b.txt', { status: 400, code: 'invalid_path' }],
  ['POST', '/upload/', { status: 422, code: 'invalid_payload' }],
  ['PATCH', '/files/b.txt', { status: 405, code: 'method_not_allowed' }],
])('[W12.3] %s %s is %o', async (method, tail, refusal) => {
  await using workspace = await workspaceWith({ 'b.txt': 'four', 'a/x': '' })
  await using site = await openSite(workspace.path)
  const answer = await site.raw(
    method,
    tail,
    method === 'GET' || method === 'DELETE' ? {} : { body: '{"content":"","new_name":"n"}' },
  )
  expect({ status: answer.status, code: (JSON.parse(answer.body) as { code?: string }).code }).toEqual(refusal)
  expect((JSON.parse(answer.body) as { detail: string }).detail).not.toContain(workspace.path)
  expect(site.changes).toEqual([])
})

test('[W3] an absolute path is refused, also one into the workspace', async () => {
  await using workspace = await workspaceWith({ 'b.txt': 'four' })
  await using site = await openSite(workspace.path)
  const answer = await site.raw('GET', `/files/${encodeURIComponent(join(workspace.path, 'b.txt'))}`)
  expect(answer.status).toBe(400)
})

test.each([
  ['page.html', 'text/html; charset=utf-8', 'sandbox'],
  ['PAGE.HTM', 'text/html; charset=utf-8', 'sandbox'],
  ['drawing.svg', 'image/svg+xml', 'sandbox'],
  ['photo.jpeg', 'image/jpeg', null],
  ['script.js', 'text/plain; charset=utf-8', null],
  ['page.xhtml', 'application/octet-stream', null],
  ['feed.xml', 'application/octet-stream', null],
  ['none', 'application/octet-stream', null],
  ['x.constructor', 'application/octet-stream', null],
  ['data.json', 'application/json; charset=utf-8', null],
  ['报告.md', 'text/markdown; charset=utf-8', null],
])('[W12.3] %s is served as %s', async (name, type, policy) => {
  await using workspace = await workspaceWith({ [name]: 'content' })
  await using site = await openSite(workspace.path)
  const answer = await site.fetch('GET', `/files/${encodeURIComponent(name)}`)
  expect(await answer.text()).toBe('content')
  expect(answer.headers.get('content-type')).toBe(type)
  expect(answer.headers.get('content-security-policy')).toBe(policy)
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('content-disposition')).toBeNull()
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

test('[W12.3] download=1 names the file, in Chinese and with quotes too', async () => {
  const name = `报"告'(1).html`
  await using workspace = await workspaceWith({ [name]: '<p>', 'empty.txt': '' })
  await using site = await openSite(workspace.path)
  const answer = await site.fetch('GET', `/files/${encodeURIComponent(name)}?download=1`)
  expect(answer.headers.get('content-disposition')).toBe(
    `attachment; filename="___'(1).html"; filename*=UTF-8''%E6%8A%A5%22%E5%91%8A%27%281%29.html`,
  )
  expect(answer.headers.get('content-security-policy')).toBe('sandbox')
  expect((await site.fetch('GET', '/files/empty.txt')).headers.get('content-length')).toBe('0')
  const head = await site.fetch('HEAD', `/files/${encodeURIComponent(name)}`)
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '3'])
})

test.each([
  ['bytes=0-3', 206, { body: '0123', told: 'bytes 0-3/10' }],
  ['bytes=7-', 206, { body: '789', told: 'bytes 7-9/10' }],
  ['bytes=-2', 206, { body: '89', told: 'bytes 8-9/10' }],
  ['bytes=5-500', 206, { body: '56789', told: 'bytes 5-9/10' }],
  ['bytes=10-', 416, { body: '', told: 'bytes */10' }],
  ['bytes=0-1,3-4', 200, { body: '0123456789', told: null }],
  ['bytes=-', 200, { body: '0123456789', told: null }],
  ['nonsense', 200, { body: '0123456789', told: null }],
])('[W12.3] the range %s is answered with %d', async (range, status, shown) => {
  await using workspace = await workspaceWith({ 'digits.txt': '0123456789' })
  await using site = await openSite(workspace.path)
  const answer = await site.fetch('GET', '/files/digits.txt', { headers: { range } })
  expect({ status: answer.status, body: await answer.text(), told: answer.headers.get('content-range') }).toEqual({
    status,
    ...shown,
  })
})

test('[W12.3] PUT makes directories, keeps the mode and leaves nothing else behind', async () => {
  await using workspace = await workspaceWith({ 'run.sh': 'old' })
  await chmod(join(workspace.path, 'run.sh'), 0o755)
  await using site = await openSite(workspace.path)
  const put = (path: string, body: unknown) => site.fetch('PUT', `/files/${path}`, { body })
  expect(await (await put('run.sh', { content: 'new' })).json()).toEqual({ success: true })
  expect(await (await put('新%2F文 件.txt', { content: '你好' })).json()).toEqual({ success: true })
  expect((await put('x.txt', { content: 7 })).status).toBe(422)
  expect((await stat(join(workspace.path, 'run.sh'))).mode & 0o777).toBe(0o755)
  expect(await readFile(join(workspace.path, '新/文 件.txt'), 'utf8')).toBe('你好')
  expect((await readdir(workspace.path, { recursive: true })).sort()).toEqual(['run.sh', '新', '新/文 件.txt'])
  expect(site.changes).toEqual(['run.sh', '新/文 件.txt'])
})

test('[W12.3] rename and copy bind to the end of the path', async () => {
  await using workspace = await workspaceWith({ 'a/b.tar.gz': 'b', rename: 'r', 'a/copy': 'c' })
  await using site = await openSite(workspace.path)
  const post = async (tail: string, body?: unknown) => (await site.fetch('POST', tail, { body })).json()
  expect(await post('/files/a/b.tar.gz/copy')).toEqual({ path: 'a/b.tar_copy.gz' })
  expect(await post('/files/a/b.tar.gz/copy/')).toEqual({ path: 'a/b.tar_copy2.gz' })
  expect(await post('/files/a%2Fb.tar.gz/rename', { new_name: '新.gz' })).toEqual({ path: 'a/新.gz' })
  expect(await post('/files/%72ename/copy')).toEqual({ path: 'rename_copy' })
  expect(await post('/files/rename/rename', { new_name: 'renamed' })).toEqual({ path: 'renamed' })
  expect(await post('/files/a%2Fcopy/copy')).toEqual({ path: 'a/copy_copy' })
  expect(await post('/files/a/copy')).toEqual({ path: 'a_copy' })
  expect(await post('/files/renamed/rename', { new_name: 'a' })).toMatchObject({ code: 'invalid_payload' })
  expect(await (await site.fetch('GET', '/files/a/copy')).text()).toBe('c')
  expect(await readFile(join(workspace.path, 'a_copy/copy_copy'), 'utf8')).toBe('c')
  expect(site.changes).toEqual([
    'a/b.tar_copy.gz',
    'a/b.tar_copy2.gz',
    'a/b.tar.gz',
    'a/新.gz',
    'rename_copy',
    'rename',
    'renamed',
    'a/copy_copy',
    'a_copy',
  ])
})

test('[W12.3] DELETE removes a file, a tree of any depth, and a link without its target', async () => {
  await using workspace = await workspaceWith({ 'a.txt': '', 'kept.txt': 'kept' })
  await mkdir(join(workspace.path, `deep/${'d/'.repeat(300)}`), { recursive: true })
  await symlink('kept.txt', join(workspace.path, 'alias'))
  await using site = await openSite(workspace.path)
  for (const path of ['a.txt', 'deep', 'alias'])
    expect(await (await site.fetch('DELETE', `/files/${path}`)).json()).toEqual({ deleted: true })
  expect(await readdir(workspace.path)).toEqual(['kept.txt'])
  expect(site.changes).toEqual(['a.txt', 'deep', 'alias'])
})

test('[W12.3] upload puts files where paths say, and one bad file does not fail the others', async () => {
  await using workspace = await workspaceWith({ 'in/taken/x': '' })
  await using site = await openSite(workspace.path, { fileBytes: 1_000 })
  const form = new FormData()
  form.append('files', new Blob(['你好']), '问候.txt')
  form.append('files', new Blob(['x'.repeat(1_001)]), 'large.bin')
  form.append('files', new Blob([new Uint8Array(1_000)]), 'exact.bin')
  form.append('files', new Blob(['y']), 'y.txt')
  form.append('files', new Blob(['z']), 'z.txt')
  form.append('paths', JSON.stringify(['sub/问候.txt', 'large.bin', 'exact.bin', 'taken', '../out.txt']))
  const answer = await site.upload('/in', form)
  expect(await answer.json()).toEqual({
    uploaded: ['in/sub/问候.txt', 'in/exact.bin'],
    failed: [
      { path: 'large.bin', error: 'The file has more than 1000 bytes.' },
      { path: 'taken', error: expect.stringContaining('is a directory') },
      { path: '../out.txt', error: '../out.txt leaves the directory.' },
    ],
  })
  expect(await readFile(join(workspace.path, 'in/sub/问候.txt'), 'utf8')).toBe('你好')
  expect((await readdir(workspace.path, { recursive: true })).sort()).toEqual([
    'in',
    'in/exact.bin',
    'in/sub',
    'in/sub/问候.txt',
    'in/taken',
    'in/taken/x',
  ])
  expect(site.changes).toEqual(['in/sub/问候.txt', 'in/exact.bin'])
})

test('[W12.3] upload goes by the files’ own names without paths, into the root under each of its names', async () => {
  await using workspace = await workspaceWith()
  await using site = await openSite(workspace.path)
  for (const [index, tail] of ['', '/', '/.', '/new%2Fplace'].entries()) {
    const form = new FormData()
    form.append('files', new Blob(['x']), `报告 ${index}.txt`)
    expect(await (await site.upload(tail, form)).json()).toEqual({
      uploaded: [`${index === 3 ? 'new/place/' : ''}报告 ${index}.txt`],
      failed: [],
    })
  }
})

test('[W12.3] upload refuses paths of the wrong number or form, and too much at once, and keeps nothing of it', async () => {
  await using workspace = await workspaceWith()
  await using site = await openSite(workspace.path, { requestBytes: 1_000 })
  const upload = async (sizes: number[], paths?: string) => {
    const form = new FormData()
    for (const size of sizes) form.append('files', new Blob(['x'.repeat(size)]), 'x.txt')
    if (paths !== undefined) form.append('paths', paths)
    return (await site.upload('', form)).status
  }
  expect(await upload([1], '["a","b"]')).toBe(422)
  expect(await upload([1, 1], '["a"]')).toBe(422)
  expect(await upload([1], '{"a":1}')).toBe(422)
  expect(await upload([1], 'a')).toBe(422)
  expect(await upload([600, 600])).toBe(413)
  expect(await readdir(workspace.path)).toEqual([])
  expect(site.changes).toEqual([])
})

test.each([
  ['an empty name', 'form-data; name="files"; filename=""', ''],
  ['no name', 'form-data; name="files"', ''],
  ['no name, and bytes', 'form-data; name="files"', 'content-type: application/octet-stream\r\n'],
  ['no name for the part either, and bytes', 'form-data', 'content-type: application/octet-stream\r\n'],
  ['a name that is nothing but dots', 'form-data; name="files"; filename=".."', ''],
])('[W12.3] a file with %s fails alone, and says why', async (what, disposition, type) => {
  await using workspace = await workspaceWith()
  await using site = await openSite(workspace.path)
  const part = (given: string, more: string, content: string) =>
    `--b\r\ncontent-disposition: ${given}\r\n${more}\r\n${content}\r\n`
  const good = (name: string) => part(`form-data; name="files"; filename="${name}"`, '', name)
  const body = `${good('a.txt')}${part(disposition, type, 'nameless')}${good('b.txt')}--b--\r\n`
  const answer = await site.raw('POST', '/upload/', {
    body,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  })
  expect({ what, status: answer.status, ...JSON.parse(answer.body) }).toEqual({
    what,
    status: 200,
    uploaded: ['a.txt', 'b.txt'],
    failed: [{ path: expect.any(String), error: expect.any(String) }],
  })
  expect((await readdir(workspace.path)).toSorted()).toEqual(['a.txt', 'b.txt'])
})

test('[W12.3] an upload that says it is larger than 200 MiB is refused before it is read', async () => {
  await using workspace = await workspaceWith()
  await using site = await openSite(workspace.path)
  const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': String(300 * 1024 ** 2) }
  const answer = await site.raw('POST', '/upload/', { headers }).catch((error: Error) => error)
  expect(answer).toMatchObject({ status: 413 })
})

test('[W12.3] download-dir is a ZIP of everything in the directory, empty directories and odd names included', async () => {
  const large = randomBytes(3 * 1024 ** 2)
  const files = {
    'd/报告.txt': '你好',
    'd/e/large.bin': large,
    'd/old.txt': 'old',
    [String.raw`d/..\..\evil.txt`]: 'x',
    'd/empty.txt': '',
  }
  await using workspace = await workspaceWith(files)
  await mkdir(join(workspace.path, 'd/nothing'))
  await utimes(join(workspace.path, 'd/old.txt'), 0, 0)
  await using site = await openSite(workspace.path)
  const answer = await site.fetch('GET', '/download-dir/d')
  expect(answer.headers.get('content-type')).toBe('application/zip')
  expect(answer.headers.get('content-disposition')).toContain('filename="d.zip"')
  const archive = unzipSync(await answer.bytes())
  expect(Object.keys(archive).sort()).toEqual(
    ['.._.._evil.txt', 'e/', 'e/large.bin', 'empty.txt', 'nothing/', 'old.txt', '报告.txt'].sort(),
  )
  expect(strFromU8(archive['报告.txt']!)).toBe('你好')
  expect(Buffer.from(archive['e/large.bin']!).equals(large)).toBe(true)
  const root = await site.fetch('GET', '/download-dir/')
  expect(root.headers.get('content-disposition')).toContain('filename="workspace.zip"')
  expect(Object.keys(unzipSync(await root.bytes()))).toContain('d/报告.txt')
})

test('[W12.3] share-file puts a link to the file into .share', async () => {
  await using workspace = await workspaceWith({
    'out/report.txt': 'report',
    'other.txt': 'other',
    '.share/mine': 'mine',
  })
  await using site = await openSite(workspace.path)
  const share = async (body: unknown) => (await site.fetch('POST', '/share-file', { body })).json()
  expect(await share({ source_path: 'out/report.txt' })).toEqual({
    path: '.share/report.txt',
    target: 'out/report.txt',
  })
  expect(await share({ source_path: 'other.txt', link_name: 'o.txt', share_folder: 'for/you' })).toEqual({
    path: '.share/for/you/o.txt',
    target: 'other.txt',
  })
  expect(await share({ source_path: 'other.txt', link_name: 'report.txt' })).toMatchObject({ target: 'other.txt' })
  expect(await share({ source_path: 'other.txt', link_name: 'mine' })).toMatchObject({ code: 'invalid_payload' })
  expect(await share({ source_path: 'none.txt' })).toMatchObject({ code: 'not_found' })
  expect(await (await site.fetch('GET', '/files/.share/report.txt')).text()).toBe('other')
  expect(await (await site.fetch('GET', '/files/.share/for/you/o.txt')).text()).toBe('other')
  expect(await readlink(join(workspace.path, '.share/for/you/o.txt'))).toBe('../../../other.txt')
  expect((await lstat(join(workspace.path, '.share/mine'))).isFile()).toBe(true)
})

test('using a workspace makes it young again, so that it is not cleaned away', async () => {
  await using workspace = await workspaceWith({ 'sub/a.txt': 'old' })
  await utimes(workspace.path, 0, 0)
  await using site = await openSite(workspace.path)
  await site.fetch('PUT', '/files/sub/a.txt', { body: { content: 'new' } })
  expect(Date.now() - (await stat(workspace.path)).mtimeMs).toBeLessThan(60_000)
})

test('an upload or a download that is broken off leaves nothing behind, neither on disk nor open', async () => {
  await using workspace = await workspaceWith({ 'd/large.bin': randomBytes(8 * 1024 ** 2) })
  await using site = await openSite(workspace.path)
  const { hostname, port } = new URL(site.face.url)
  const begin = (method: string, tail: string, headers: Record<string, string>) =>
    httpRequest({
      hostname,
      port,
      method,
      path: `/api/sessions/${site.session_id}${tail}`,
      headers: { authorization: `Bearer ${site.face.key}`, ...headers },
    }).on('error', () => undefined)
  const upload = begin('POST', '/upload/', { 'content-type': 'multipart/form-data; boundary=b' })
  upload.write('--b\r\ncontent-disposition: form-data; name="files"; filename="a.txt"\r\n\r\nhalf')
  await vi.waitFor(async () => expect(await readdir(workspace.path)).toHaveLength(2), 45_000)
  upload.destroy()
  for (const tail of ['/download-dir/d', '/files/d/large.bin']) {
    const download = begin('GET', tail, {})
    download.on('response', () => download.destroy())
    download.end()
    await once(download, 'close')
  }
  await vi.waitFor(async () => expect(await readdir(workspace.path)).toEqual(['d']), 45_000)
  await vi.waitFor(async () => expect(await openUnder(workspace.path)).toEqual([]), 45_000)
  expect(site.changes).toEqual([])
})

/** What this process has open below a directory. */
async function openUnder(directory: string): Promise<string[]> {
  const numbers = await readdir('/proc/self/fd')
  const paths = await Promise.all(numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')))
  return paths.filter((path) => path.startsWith(directory))
}
