import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { KEY } from '../../client/test/scripted-server.ts'
import { withServer } from './command-line.ts'

/** A folder of documents beside a server that keeps files as the real one does. */
async function withDocuments() {
  const parley = await withServer()
  const { server, path } = parley
  const kept = new Map<string, { id: string; source: string; digest: string; category: string; collection: string }>()
  const puts: string[] = []
  server.routes['GET /api/knowledge'] = ({ url }) => ({ status: 200, body: pageOf([...kept.values()], url) })
  server.routes['PUT /api/knowledge/files'] = ({ url, body }) => {
    const { source = '', category = '', collection = '' } = Object.fromEntries(url.searchParams)
    puts.push(source)
    if (String(body).includes('broken')) return { status: 422, body: { detail: 'Nothing to read in it.', code: 'x' } }
    const status = kept.has(source) ? 'changed' : 'added'
    const id = `doc_${source}`
    server.routes[`DELETE /api/knowledge/${encodeURIComponent(id)}`] = () => {
      kept.delete(source)
      return { status: 204 }
    }
    kept.set(source, { id, source, category, collection, digest: sha256(String(body)) })
    return { status: 200, body: { status, document: kept.get(source) } }
  }
  const docs = join(path, 'docs')
  await mkdir(join(docs, 'sales'), { recursive: true })
  await writeFile(join(docs, 'a.md'), '# A')
  await writeFile(join(docs, 'sales', 'b.md'), '# B')
  return { ...parley, docs, kept, puts, [Symbol.asyncDispose]: () => parley[Symbol.asyncDispose]() }
}

/** Two at a time: lists have pages. */
function pageOf(all: readonly object[], url: URL) {
  const from = Number(url.searchParams.get('cursor') ?? 0)
  const items = all.slice(from, from + 2)
  return { items, ...(from + 2 < all.length && { nextCursor: String(from + 2) }) }
}

/** Three are sent at a time: which is done first is chance. */
const linesOf = (output: string) => output.trimEnd().split('\n').sort()

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('a directory that is added again sends only what is new or changed', async () => {
  await using setup = await withDocuments()
  const { docs, puts } = setup
  await writeFile(join(docs, 'c.txt'), 'C')
  const first = await setup.parley(['knowledge', 'add', docs])
  expect(first).toMatchObject({ code: 0, errors: '' })
  expect(linesOf(first.output)).toEqual([
    '3 added, 0 changed, 0 unchanged.',
    'added a.md',
    'added c.txt',
    'added sales/b.md',
  ])
  expect(setup.kept.get('a.md')).toMatchObject({ category: 'docs', collection: 'default' })
  expect(setup.kept.get('sales/b.md')).toMatchObject({ category: 'sales', collection: 'default' })
  puts.length = 0
  await writeFile(join(docs, 'sales', 'b.md'), '# B, changed')
  await writeFile(join(docs, 'd.md'), '# D')
  const again = await setup.parley(['knowledge', 'add', docs])
  expect(linesOf(again.output)).toEqual(['1 added, 1 changed, 2 unchanged.', 'added d.md', 'changed sales/b.md'])
  expect(puts.sort()).toEqual(['d.md', 'sales/b.md'])
})

test('a file that fails is named with its reason, the others go on, and the command ends with 1', async () => {
  await using setup = await withDocuments()
  await writeFile(join(setup.docs, 'a0.md'), 'broken')
  await writeFile(join(setup.docs, 'big.pdf'), '')
  await truncate(join(setup.docs, 'big.pdf'), 20 * 1024 * 1024 + 1)
  const { code, output, errors } = await setup.parley(['knowledge', 'add', setup.docs])
  expect(code).toBe(1)
  expect(errors.split('\n').sort()).toEqual([
    '',
    'failed a0.md: Nothing to read in it.',
    'failed big.pdf: larger than 20 MiB',
  ])
  expect(output).toMatch(/2 added, 0 changed, 0 unchanged, 2 failed\.\n$/)
  const json = await setup.parley(['knowledge', 'add', setup.docs, '--json'])
  expect(JSON.parse(json.output)).toMatchObject({ unchanged: 2, failed: [{ source: 'a0.md' }, { source: 'big.pdf' }] })
})

test('files that are gone are counted, and deleted only when that is asked for', async () => {
  await using setup = await withDocuments()
  await setup.parley(['knowledge', 'add', setup.docs])
  await rm(join(setup.docs, 'a.md'))
  const counted = await setup.parley(['knowledge', 'add', setup.docs])
  expect(counted.output).toContain('1 documents of the collection are no longer there')
  expect(setup.kept.size).toBe(2)
  const one = await setup.parley(['knowledge', 'add', join(setup.docs, 'sales', 'b.md'), '--delete-missing'])
  expect(one.output, 'a file says nothing about the others').toBe('added b.md\n1 added, 0 changed, 0 unchanged.\n')
  const deleted = await setup.parley(['knowledge', 'add', setup.docs, '--delete-missing'])
  expect(deleted.output).toContain('2 documents that are no longer there were deleted.')
  expect([...setup.kept.keys()]).toEqual(['sales/b.md'])
  await rm(setup.docs, { recursive: true })
  await mkdir(setup.docs)
  expect(await setup.parley(['knowledge', 'add', setup.docs, '--delete-missing'])).toMatchObject({ code: 1 })
  expect(setup.kept.size, 'an empty directory is more likely the wrong one').toBe(1)
})

test('an import outlives a server that is away for a moment', async () => {
  await using setup = await withDocuments()
  const { routes } = setup.server
  const put = routes['PUT /api/knowledge/files']!
  let refusals = 4
  routes['PUT /api/knowledge/files'] = (request) => ((refusals -= 1) >= 0 ? { status: 503 } : put(request))
  const { code, output, errors } = await setup.parley(['knowledge', 'add', setup.docs, '--language', 'zh'])
  expect(code).toBe(0)
  expect(output).toMatch(/新增 2 个，更新 0 个，未变 0 个。\n$/)
  expect(errors).toBe('服务器没有响应，将在一分钟内重试 …\n')
})

test('a server that was never there is not waited for', async () => {
  await using setup = await withDocuments()
  const args = ['knowledge', 'add', setup.docs, '--url', 'http://127.0.0.1:9', '--key', 'x']
  expect(await setup.parley(args)).toMatchObject({ code: 3 })
})

test('a category and a collection can be named, and go to all files', async () => {
  await using setup = await withDocuments()
  const args = ['knowledge', 'add', setup.docs, '--category', 'faq', '--collection', 'help']
  await setup.parley(args)
  expect([...setup.kept.values()].map(({ category, collection }) => [category, collection])).toEqual([
    ['faq', 'help'],
    ['faq', 'help'],
  ])
  const url = setup.server.requests.find(({ method }) => method === 'GET')?.url
  expect(url).toBe('/api/knowledge?collection=help&limit=200')
})

test('list, search, show and delete: for people and for programs', async () => {
  await using setup = await withDocuments()
  const { server } = setup
  await setup.parley(['knowledge', 'add', setup.docs])
  const listed = await setup.parley(['knowledge', 'list'])
  expect(listed.output).toMatch(/^ID +TITLE +CATEGORY +COLLECTION +SOURCE\n/)
  expect(listed.output).toMatch(/^doc_a\.md +\(untitled\) +docs +default +a\.md$/m)
  expect(JSON.parse((await setup.parley(['knowledge', 'list', '--json'])).output)).toHaveLength(2)
  const document = { id: 'doc_1', title: 'Returns\u001b[2J', category: 'sales', collection: 'default', source: null }
  server.routes['POST /api/knowledge/search'] = ({ body }) => ({
    status: 200,
    body: {
      results:
        (body as { query: string }).query === 'how long'
          ? [{ document, score: 0.876, confidence: 'high', excerpt: 'Within\n30 days.' }]
          : [],
    },
  })
  expect((await setup.parley(['knowledge', 'search', 'how', 'long'])).output).toBe(
    '0.88  Returns\\x1b[2J  doc_1 · sales\n      Within 30 days.\n',
  )
  expect(await setup.parley(['knowledge', 'search', 'weather'])).toEqual({
    code: 0,
    output: '',
    errors: 'Nothing found.\n',
  })
  server.routes['GET /api/knowledge/doc_1'] = () => ({ status: 200, body: { ...document, content: '# Returns\n' } })
  expect((await setup.parley(['knowledge', 'show', 'doc_1'])).output).toBe(
    'Returns\\x1b[2J  doc_1 · sales · default\n\n# Returns\n',
  )
  expect(await setup.parley(['knowledge', 'delete', 'doc_a.md'])).toMatchObject({
    code: 0,
    output: 'Deleted doc_a.md.\n',
  })
  expect(setup.kept.size).toBe(1)
})

test.each([
  [['knowledge', 'add'], 'PATH is missing.\n'],
  [['knowledge', 'burn'], 'Unknown command "knowledge burn". See `parley --help`.\n'],
  [['knowledge', 'show', 'a', 'b'], '"b" is one argument too many.\n'],
  [['knowledge', 'add', '/nowhere/at/all'], '/nowhere/at/all is not there, or cannot be read.\n'],
])('%j is wrong usage', async (args, errors) => {
  await using setup = await withServer()
  expect(await setup.parley(args)).toEqual({ code: 2, output: '', errors })
})

test('run keeps its sources off the result, and --json has them', async () => {
  await using setup = await withServer()
  const source = { ref: 1, document_id: 'd', title: 'Returns', category: 's', headings: ['Deadlines'], excerpt: '' }
  const citations = [{ ...source, score: 1, confidence: 'high' as const }]
  setup.server.scripts['default'] = async (session) => {
    await session.start()
    await (await session.assistant({ citations })).end()
    await session.end({ result: { output: '30 days [1].' } })
  }
  expect(await setup.parley(['run', 'how long?'])).toEqual({
    code: 0,
    output: '30 days [1].\n',
    errors: 'Sources: [1] Returns › Deadlines\n',
  })
  expect(JSON.parse((await setup.parley(['run', 'how long?', '--json'])).output)).toMatchObject({ citations })
})

test.each([
  [80, /^<[12] of 2 {2}\S+<2 of 2 {2}\S+<2 added, 0 changed, 0 unchanged\.\r\n$/],
  [18, /^<1 of 2<2 of 2<2 added, 0 changed, 0 unchanged\.\r\n$/],
])('in a terminal of %i columns one line counts, and is taken back', async (columns, shown) => {
  await using setup = await withDocuments()
  const main = join(import.meta.dirname, '../src/main.ts')
  const command = `stty cols ${columns}; exec ${process.execPath} --conditions=parley-source ${main} knowledge add docs`
  const { stdout } = await promisify(execFile)('script', ['-qefc', command, '/dev/null'], {
    cwd: setup.path,
    env: {
      PATH: process.env['PATH'],
      PARLEY_URL: setup.server.url,
      PARLEY_KEY: KEY,
      LANG: 'en_US.UTF-8',
      NO_COLOR: '1',
    },
  })
  // Back to the beginning of the line, which is cleared.
  expect(stdout.replaceAll('\r\u001B[K', '<')).toMatch(shown)
})
