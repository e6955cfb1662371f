import { link, readFile, readdir, symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOSTILE_PATHS, SECRET, setTraps, type Trapped } from './hostile.ts'
import { type Answer, openSite, type Site } from './site.ts'

let traps: Trapped
let site: Site

beforeAll(async () => {
  traps = await setTraps()
  site = await openSite(traps.workspace)
})
afterAll(async () => {
  await site[Symbol.asyncDispose]()
  await traps[Symbol.asyncDispose]()
})

const json = (value: unknown) => ({ body: JSON.stringify(value) })

const ROUTES: readonly [name: string, call: (tail: string) => Promise<Answer>][] = [
  ['GET ls', (tail) => site.raw('GET', `/ls/${tail}`)],
  ['GET files', (tail) => site.raw('GET', `/files/${tail}`)],
  ['PUT files', (tail) => site.raw('PUT', `/files/${tail}`, json({ content: 'owned' }))],
  ['DELETE files', (tail) => site.raw('DELETE', `/files/${tail}`)],
  ['POST rename', (tail) => site.raw('POST', `/files/${tail}/rename`, json({ new_name: 'taken.txt' }))],
  ['POST copy', (tail) => site.raw('POST', `/files/${tail}/copy`)],
  ['GET download-dir', (tail) => site.raw('GET', `/download-dir/${tail}`)],
  ['POST upload', async (tail) => site.raw('POST', `/upload/${tail}`, form({ name: 'new.txt', content: 'owned' }))],
]

/** What is itself in the workspace, wherever it leads. */
const ENTRIES = ['pipe', 'socket', 'link-file', 'link-chain', 'link-dangling', 'link-loop', 'link-device']

const SPELLINGS: readonly [string, (path: string) => string][] = [
  ['as it is', (path) => path.replaceAll('\0', '%00')],
  ['encoded as one segment', (path) => encodeURIComponent(path)],
  [
    'with every byte encoded',
    (path) =>
      Buffer.from(path)
        .toString('hex')
        .replaceAll(/../g, (byte) => `%${byte}`),
  ],
]

describe.each(ROUTES)('%s', (name, call) => {
  describe.each(SPELLINGS)('%s', (_spelling, spell) => {
    // A pipe, a socket and a link may be renamed or removed: that touches them, not what they lead to.
    const hostile = HOSTILE_PATHS.filter(([, path]) => !(/DELETE|rename/.test(name) && ENTRIES.includes(path)))
    test.each(hostile)('refuses %s and touches nothing outside', async (_what, path) => {
      const { status, body } = await call(spell(path))
      expect([400, 404, 414]).toContain(status)
      expect(body).not.toContain(SECRET)
      expect(body).not.toMatch(/root:|\/fd\//)
      expect(await traps.lookOutside()).toEqual(traps.untouched)
    })
  })

  test.each([
    '%252e%252e%252foutside%252fsecret.txt',
    '..%5c..%5coutside%5csecret.txt',
    '%c0%ae%c0%ae/outside/secret.txt',
  ])('does not take %s for a way out', async (tail) => {
    const { body } = await call(tail)
    expect(body).not.toContain(SECRET)
    expect(await traps.lookOutside()).toEqual(traps.untouched)
  })

  test('is 404 for somebody else’s session, without a word about its files', async () => {
    const { id } = await site.face.sessions.create({ user_id: 'user_other' }, {})
    const foreign = await callOther(id, name)
    expect(foreign.status).toBe(404)
    expect(JSON.parse(foreign.body)).toMatchObject({ code: 'session_not_found' })
  })
})

test.each([...ENTRIES, 'link-dir', 'deep/link-up'])(
  '%s itself can be renamed and deleted, never what it leads to',
  async (path) => {
    await using own = await setTraps()
    await using place = await openSite(own.workspace)
    const renamed = await place.raw('POST', `/files/${path}/rename`, json({ new_name: 'renamed' }))
    expect(renamed.status).toBe(200)
    const { path: now } = JSON.parse(renamed.body) as { path: string }
    const deleted = await place.raw('DELETE', `/files/${now}`)
    expect(deleted).toMatchObject({ status: 200, body: '{"deleted":true}' })
    expect(await readdir(join(own.workspace, now, '..'))).not.toContain('renamed')
    expect(place.changes).toEqual([path, now, now])
    expect(await own.lookOutside()).toEqual(own.untouched)
  },
)

test('what a link leads to outside makes no difference to any answer', async () => {
  await using own = await setTraps()
  await using place = await openSite(own.workspace)
  const targets = [
    join(own.outside, 'secret.txt'),
    own.outside,
    join(own.outside, 'absent'),
    join(own.outside, 'secret.txt/x'),
    join(own.outside, 'loop'),
    '/root',
  ]
  await symlink('loop', join(own.outside, 'loop'))
  const answers = new Set<string>()
  for (const target of targets) {
    await symlink(target, join(own.workspace, 'led'))
    const said: unknown[] = []
    for (const tail of ['led', 'led/secret.txt', 'led/x/y']) {
      for (const [method, route] of [
        ['GET', '/ls/'],
        ['GET', '/files/'],
        ['GET', '/download-dir/'],
      ] as const) {
        const { status, body } = await place.raw(method, route + tail)
        said.push([status, body])
      }
      const { status, body } = await place.raw('PUT', `/files/${tail}`, json({ content: 'owned' }))
      said.push([status, body])
    }
    const listed = JSON.parse((await place.raw('GET', '/ls/')).body) as { name: string }[]
    said.push(listed.find(({ name }) => name === 'led'))
    answers.add(JSON.stringify(said))
    await unlink(join(own.workspace, 'led'))
  }
  expect([...answers]).toHaveLength(1)
})

test.each(HOSTILE_PATHS)('POST share-file refuses %s as its source', async (_what, source_path) => {
  if (['pipe', 'socket'].includes(source_path)) return
  const { status, body } = await site.raw('POST', '/share-file', json({ source_path }))
  expect([400, 404]).toContain(status)
  expect(body).not.toContain(SECRET)
})

test.each(['..', '../..', 'link', '/tmp', 'a/../../..'])(
  'POST share-file refuses the folder %s',
  async (share_folder) => {
    const source_path = 'deep/inner.txt'
    const folder = share_folder === 'link' ? '../link-dir' : share_folder
    expect((await site.raw('POST', '/share-file', json({ source_path, share_folder: folder }))).status).toBe(400)
    expect((await site.raw('POST', '/share-file', json({ source_path, link_name: `${folder}/x` }))).status).toBe(400)
    expect(await traps.lookOutside()).toEqual(traps.untouched)
  },
)

test.each(HOSTILE_PATHS)('an uploaded file that wants to go to %s fails alone', async (_what, path) => {
  const parts = [
    { name: 'bad.txt', content: 'owned' },
    { name: 'good.txt', content: 'fine' },
  ]
  const { status, body } = await site.raw('POST', '/upload/', form(...parts, { paths: [path, 'good.txt'] }))
  expect({ status, body: JSON.parse(body) }).toEqual({
    status: 200,
    body: { uploaded: ['good.txt'], failed: [{ path, error: expect.any(String) }] },
  })
  expect(await traps.lookOutside()).toEqual(traps.untouched)
})

test.each(['', '.', '..', '../x', 'a/b', '/etc/x', 'a\\b', 'a\0b', 'x'.repeat(300)])(
  'a file cannot be renamed to %j',
  async (new_name) => {
    const { status } = await site.raw('POST', '/files/deep/inner.txt/rename', json({ new_name }))
    expect(status).toBe(400)
    expect(await readdir(join(traps.workspace, 'deep'))).toContain('inner.txt')
  },
)

test('writing to a hard link changes the name inside, never the file outside', async () => {
  await link(join(traps.outside, 'secret.txt'), join(traps.workspace, 'shared.txt'))
  expect((await site.raw('PUT', '/files/shared.txt', json({ content: 'owned' }))).status).toBe(200)
  expect(await readFile(join(traps.workspace, 'shared.txt'), 'utf8')).toBe('owned')
  await link(join(traps.outside, 'secret.txt'), join(traps.workspace, 'shared-2.txt'))
  const uploaded = await site.raw('POST', '/upload/', form({ name: 'shared-2.txt', content: 'owned' }))
  expect(JSON.parse(uploaded.body)).toEqual({ uploaded: ['shared-2.txt'], failed: [] })
  expect(await traps.lookOutside()).toEqual(traps.untouched)
})

test('a listing says nothing about what links lead out to, and an archive has none of it', async () => {
  const listing = JSON.parse((await site.raw('GET', '/ls/')).body) as { name: string }[]
  expect(listing.find(({ name }) => name === 'link-file')).toEqual({
    name: 'link-file',
    path: 'link-file',
    type: 'file',
    is_dir: false,
  })
  expect(listing.find(({ name }) => name === 'link-dir')).toEqual({
    name: 'link-dir',
    path: 'link-dir',
    type: 'file',
    is_dir: false,
  })
  const bytes = await (await site.fetch('GET', '/download-dir/deep')).bytes()
  expect(Object.keys(unzipSync(bytes))).toEqual(['inner.txt'])
})

test('deleting a directory removes the links in it, not what they lead to', async () => {
  const tree = JSON.parse((await site.raw('POST', '/files/deep/copy')).body) as { path: string }
  expect(tree).toEqual({ path: 'deep_copy' })
  expect((await site.raw('DELETE', '/files/deep')).status).toBe(200)
  expect(await readdir(traps.workspace)).not.toContain('deep')
  expect(await traps.lookOutside()).toEqual(traps.untouched)
})

type Part = { name: string; content: string } | { paths: string[] }

function form(...parts: Part[]): { body: string; headers: Record<string, string> } {
  const boundary = 'parley-test-boundary'
  const lines = parts.map((part) =>
    'paths' in part
      ? `--${boundary}\r\ncontent-disposition: form-data; name="paths"\r\n\r\n${JSON.stringify(part.paths)}\r\n`
      : `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="${part.name}"\r\ncontent-type: text/plain\r\n\r\n${part.content}\r\n`,
  )
  return {
    body: `${lines.join('')}--${boundary}--\r\n`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}

async function callOther(session_id: string, name: string): Promise<Answer> {
  const [method, route] = name.split(' ') as [string, string]
  const tail = { rename: 'files/a/rename', copy: 'files/a/copy' }[route] ?? `${route}/a`
  const body = method === 'PUT' ? { content: '' } : { new_name: 'b' }
  const sent = route === 'upload' ? form({ name: 'a', content: '' }) : method === 'GET' ? {} : { body }
  const answer = await site.face.request(method, `/api/sessions/${session_id}/${tail}`, sent)
  return { status: answer.status, headers: {}, body: await answer.text() }
}
