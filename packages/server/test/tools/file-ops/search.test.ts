import { execFile } from 'node:child_process'
import { appendFile, readdir, readFile, symlink } from 'node:fs/promises'
import { join, matchesGlob } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { noSandbox } from '../../../src/sandbox/no-sandbox.ts'
import { LIMITS, type Sandbox, SYSTEM_PATH } from '../../../src/sandbox/sandbox.ts'
import { Searches } from '../../../src/tools/file-ops/searches.ts'
import { sandboxHere, use, workspaceWith } from './use.ts'

const here = await sandboxHere()
afterAll(() => here[Symbol.asyncDispose]())

const FILES = {
  'src/a.ts': 'const apple = 1\n',
  'src/b.tsx': 'const Banana = 2\n',
  'src/deep/c.ts': 'apple\nbanana\napple\n',
  '.github/ci.yml': 'apple: yes\n',
  'node_modules/x/index.ts': 'apple\n',
  'src/gen/out.ts': 'apple\n',
  '.git/HEAD': 'apple\n',
  'src/.gitignore': 'gen\n',
  '.gitignore': 'node_modules\n/src/deep/ignored.txt\n',
  'src/deep/ignored.txt': 'apple\n',
  'data.bin': Buffer.from('apple\0apple'),
}
/** Only a sandbox makes it safe to read what names these. */
const IGNORED = ['node_modules/x/index.ts', 'src/gen/out.ts', 'src/deep/ignored.txt']

const PLACES: [string, Sandbox][] = [
  ['without a sandbox', noSandbox({ limits: LIMITS, groups: undefined, path: SYSTEM_PATH, reason: 'switched off' })],
]
if (here.sandbox.level !== 'none') PLACES.push(['in the sandbox', here.sandbox])

describe.each(PLACES)('%s', (_place, sandbox) => {
  const isConfined = sandbox.level !== 'none'
  const without = (lines: string[]) =>
    isConfined ? lines : lines.filter((line) => !IGNORED.some((file) => line.startsWith(file)))

  test.each([
    [{ pattern: '**/*.ts' }, ['src/a.ts', 'src/deep/c.ts']],
    [{ pattern: '*.ts' }, []],
    [{ pattern: '*.{ts,tsx}', path: 'src' }, ['src/a.ts', 'src/b.tsx']],
    [{ pattern: './**/c.ts', path: './src' }, ['src/deep/c.ts']],
    [{ pattern: '.github/*' }, ['.github/ci.yml']],
    [{ pattern: '.git/**' }, []],
    [{ pattern: '*', path: 'src/deep' }, ['src/deep/c.ts']],
  ])('Glob %j finds what is meant, sorted, without .git and what is ignored', async (input, files) => {
    await using workspace = await workspaceWith(FILES)
    expect(without((await use({ workspace: workspace.path, sandbox }, 'Glob', input)) as string[])).toEqual(files)
  })

  test.each([
    [
      { pattern: 'apple' },
      ['.github/ci.yml:1:apple: yes', 'src/a.ts:1:const apple = 1', 'src/deep/c.ts:1:apple', 'src/deep/c.ts:3:apple'],
    ],
    [{ pattern: 'banana', case_insensitive: true, output_mode: 'files_with_matches' }, ['src/b.tsx', 'src/deep/c.ts']],
    [{ pattern: 'apple', output_mode: 'count', path: 'src' }, ['src/a.ts:1', 'src/deep/c.ts:2']],
    [{ pattern: '^banana$', context: 1 }, ['src/deep/c.ts-1-apple', 'src/deep/c.ts:2:banana', 'src/deep/c.ts-3-apple']],
    [{ pattern: 'apple', glob: '*.tsx' }, ['No matches.']],
    [{ pattern: 'a', path: 'src/b.tsx' }, ['src/b.tsx:1:const Banana = 2']],
    [{ pattern: '--files' }, ['No matches.']],
    [{ pattern: `it's "$(id)" \\$HOME` }, ['No matches.']],
  ])('Grep %j', async (input, lines) => {
    await using workspace = await workspaceWith(FILES)
    const found = ((await use({ workspace: workspace.path, sandbox }, 'Grep', input)) as string).split('\n')
    expect(without(found.filter((line) => !line.includes('data.bin')))).toEqual(lines)
  })

  test('results are bounded, and say so', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_005 }, (_, index) => [`f${index}.txt`, `x ${'y'.repeat(2_000)}\n`.repeat(3)]),
    )
    await using workspace = await workspaceWith(many)
    const files = (await use({ workspace: workspace.path, sandbox }, 'Glob', { pattern: '*' })) as string[]
    expect(files).toHaveLength(1_001)
    expect(files.at(-1)).toContain('more than 1000')
    const ten = (
      (await use({ workspace: workspace.path, sandbox }, 'Grep', { pattern: 'x', limit: 10 })) as string
    ).split('\n')
    expect(ten).toHaveLength(11)
    expect(ten.at(-1)).toContain('there is more')
    const wide = (await use({ workspace: workspace.path, sandbox }, 'Grep', { pattern: 'x', limit: 2_000 })) as string
    expect(wide.length).toBeLessThan(70_000)
  })

  test.each(['(', '[a', 'a{9999999}'])(
    'Grep with the regular expression %s explains what is wrong with it',
    async (pattern) => {
      await using workspace = await workspaceWith(FILES)
      await expect(use({ workspace: workspace.path, sandbox }, 'Grep', { pattern })).rejects.toThrow(/regex/i)
    },
  )

  test('an ignore file above the workspace has no say', async () => {
    await using above = await workspaceWith({ '.gitignore': '*\n', '.ignore': '*\n', 'ws/a.txt': 'apple' })
    await promisify(execFile)('git', ['init', '-q', above.path]).catch(() => undefined)
    expect(await use({ workspace: join(above.path, 'ws'), sandbox }, 'Glob', { pattern: '*' })).toEqual(['a.txt'])
  })

  test.each([
    ['stars', `${'*a'.repeat(400)}*c`],
    ['choices', `${'{a,aa}'.repeat(150)}c`],
    ['groups within groups', `${'+('.repeat(60)}a${')'.repeat(60)}c`],
    ['directories', `${'**/'.repeat(300)}c`],
  ])('Glob is done with a pattern of many %s, however many ways to match there are', async (_what, pattern) => {
    await using workspace = await workspaceWith({ [`${'a'.repeat(200)}b`]: '', [`${'a/'.repeat(60)}b`]: '' })
    expect(await use({ workspace: workspace.path, sandbox }, 'Glob', { pattern })).toEqual([])
  })

  test('an endless ignore file costs nobody anything but that search', async () => {
    await using workspace = await workspaceWith({ 'a.txt': 'apple\n' })
    await symlink('/dev/zero', join(workspace.path, '.gitignore'))
    const found = await use({ workspace: workspace.path, sandbox }, 'Grep', { pattern: 'apple' })
    if (isConfined) expect(found).toContain('too much memory')
    else expect(found).toBe('a.txt:1:apple')
  })

  test('what comes in between is found by a search that begins later', async () => {
    await using workspace = await workspaceWith({ 'a.txt': 'apple\n' })
    const count = async () =>
      await use({ workspace: workspace.path, sandbox }, 'Grep', { pattern: 'apple', output_mode: 'count' })
    expect(await count()).toBe('a.txt:1')
    await appendFile(join(workspace.path, 'a.txt'), 'apple\n')
    expect(await count()).toBe('a.txt:2')
  })

  test('stopping a search ends its process', async () => {
    await using workspace = await workspaceWith({ 'big.txt': '' })
    for (let megabyte = 0; megabyte < 40; megabyte++)
      await appendFile(join(workspace.path, 'big.txt'), `${'a'.repeat(999)}\n`.repeat(1_000))
    const stop = new AbortController()
    // A second or two of work, whatever the machine: nothing in it can be looked for without it.
    const input = { pattern: String.raw`(\w|a|aa){1,400}\W$` }
    const search = use({ workspace: workspace.path, signal: stop.signal, sandbox }, 'Grep', input)
    const searchers = async () => (await descendantsOf(process.pid)).filter((name) => name === 'rg')
    await vi.waitFor(async () => expect(await searchers()).toHaveLength(1), { interval: 1, timeout: 45_000 })
    stop.abort()
    await expect(search).rejects.toThrow(/abort/i)
    await vi.waitFor(async () => expect(await searchers()).toEqual([]), { interval: 10, timeout: 45_000 })
  })
})

test.skipIf(here.sandbox.level === 'none')('a search sees the workspace and nothing else', async () => {
  await using workspace = await workspaceWith({ 'a.txt': 'root\n', 'outside/b.txt': 'root\n' })
  await using outside = await workspaceWith({ 'b.txt': 'root\n' })
  await symlink(outside.path, join(workspace.path, 'to-outside'))
  await symlink('/etc', join(workspace.path, 'to-etc'))
  await using searches = new Searches({ sandbox: here.sandbox, leaseMs: 5_000 })
  // As if it had become a link after somebody looked.
  const found = (path: string) =>
    searches.search(
      workspace.path,
      { looksAt: 'text', pattern: 'root', options: ['--count', '--with-filename'], path, limit: 10 },
      AbortSignal.timeout(10_000),
    )
  expect(await found('to-outside')).toEqual({ lines: [], end: 'done' })
  expect(await found('to-etc')).toEqual({ lines: [], end: 'done' })
  expect((await found('.')).lines).toEqual(['./a.txt:1', './outside/b.txt:1'])
})

test('a thousand searches of one workspace need no more than a few sandboxes', async () => {
  await using workspace = await workspaceWith(
    Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}.txt`, `number ${index}\n`])),
  )
  let made = 0
  const counted: Sandbox = {
    ...here.sandbox,
    wrap(options) {
      made++
      return here.sandbox.wrap(options)
    },
  }
  const found = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) =>
      use({ workspace: workspace.path, sandbox: counted, signal: AbortSignal.timeout(100_000) }, 'Grep', {
        pattern: `number ${index % 500}$`,
      }),
    ),
  )
  for (const [index, text] of found.entries()) {
    const number = index % 500
    expect(text).toBe(number < 100 ? `f${number}.txt:1:number ${number}` : 'No matches.')
  }
  expect(made).toBeLessThan(20)
}, 120_000)

test('Glob finds what the patterns of shells find', async () => {
  const names = [
    'a',
    'b',
    '.a',
    'ab',
    'a.b',
    'c-d',
    '[a]',
    '{a}',
    'a1',
    'a2',
    'x/a',
    'x/.a',
    'x/y/a',
    '.x/a',
    'x/y/b.a',
    'a+b',
    'A',
  ]
  // The names themselves decide what is a file and what a directory.
  const files = names.filter((name) => !names.some((other) => other.startsWith(`${name}/`)))
  await using workspace = await workspaceWith(Object.fromEntries(files.map((name) => [name, ''])))
  const piece = fc.constantFrom(
    'a',
    'b',
    'x',
    'y',
    '.',
    '*',
    '**',
    '?',
    '/',
    '**/',
    '[ab]',
    '[!a]',
    '[.a]',
    '{a,b}',
    '{x,y}/',
    '@(a|b)',
    '+(a|b)',
    '{1..2}',
    '-',
    '+',
    'A',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 5 }), async (pieces) => {
      const pattern = pieces.join('')
      fc.pre(!/^[./]*\//.test(pattern) && !pattern.includes('..'))
      const found = await use({ workspace: workspace.path, sandbox: here.sandbox }, 'Glob', { pattern })
      expect({ pattern, found }).toEqual({
        pattern,
        found: files.filter((name) => matchesGlob(name, pattern)).toSorted(),
      })
    }),
    { numRuns: 150 },
  )
})

/** The names of a process's children, and of theirs. */
async function descendantsOf(pid: number | string): Promise<string[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  const children = lists.join(' ').split(' ').filter(Boolean)
  const names = await Promise.all(
    children.map(async (child) => [
      (await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '')).trim(),
      ...(await descendantsOf(child)),
    ]),
  )
  return names.flat()
}
