/** What `npm start` and `npm test` bring into a clone, with an npm that only writes down what it is asked for. */
import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTerminal } from './walk/terminal.ts'

const ROOT = join(import.meta.dirname, '..')
const MERMAID = 'packages/chatkit/bundle/mermaid.js'
/** By folder, what its build writes. */
const BUILT = {
  'packages/server': 'main.js',
  'packages/cli': 'main.js',
  'packages/chatkit': 'embed.js',
  'packages/tools': 'index.js',
  'apps/console': 'index.html',
}

let clone: string

beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'parley-prepare-'))
  for (const file of [
    'scripts/prepare.mjs',
    'scripts/prepare-words.mjs',
    'packages/chatkit/bring-mermaid.mjs',
    'packages/cli/bin/fetch-file.mjs',
  ])
    await cp(join(ROOT, file), join(clone, file))
  await write('package.json', '{}')
  await write('node_modules/typescript/bin/tsc', '')
  for (const folder of ['packages/protocol', 'packages/client', ...Object.keys(BUILT)])
    await write(`${folder}/src/index.ts`, '')
  for (const [folder, made] of Object.entries(BUILT)) {
    await write(`${folder}/build.mjs`, `(await import('node:fs')).writeFileSync('${folder}/bundle/${made}', '')`)
    await mkdir(join(clone, folder, 'bundle'), { recursive: true })
  }
  const [, version] = /VERSION = '([^']+)'/.exec(
    await readFile(join(clone, 'packages/chatkit/bring-mermaid.mjs'), 'utf8'),
  )!
  await write(MERMAID, `// Made by bring-mermaid.mjs of mermaid ${version}.\n`)
  await write(
    'bin/npm',
    `#!/bin/sh\necho "$@" >> '${clone}/asked'\n[ "$1" = pack ] && echo x > "$5/mermaid-${version}.tgz"\nexit 0\n`,
  )
  await chmod(join(clone, 'bin/npm'), 0o755)
})
afterEach(() => rm(clone, { recursive: true, force: true }))

test('a start installs what it runs on and builds it, step by step; the next one has nothing to do', async () => {
  expect(await bring('prepare')).toMatch(
    /Installing what it runs on.*done in \d+ s\n[^]*Building what has changed \(server, .*\): done in \d+ s\n[^]*\(console\): done/,
  )
  const [asked, ...others] = await npmWasAsked()
  expect(asked).toMatch(/^install .*--workspace=packages\/server/)
  expect(others).toEqual([])
  expect(await bring('prepare')).toBe('')
  expect(await npmWasAsked()).toEqual([])
})

test('[D9] a start speaks the language of the server from its first line', async () => {
  const said = await bring('prepare', { LANG: 'zh_CN.UTF-8' })
  expect(said).toMatch(/正在安装运行所需的软件包.*完成，用时 \d+ 秒\n[^]*正在构建有改动的部分（.*console）：完成/)
  expect(said).not.toMatch(/Installing|Building|done/)
})

test('[D9] an install that takes its time is not silent for ten seconds, on a terminal and in a log', async () => {
  await slowNpm(2)
  const script = "await (await import('./scripts/prepare.mjs')).prepare()"
  const command = `'${process.execPath}' --input-type=module -e "${script}"`
  await using terminal = openTerminal(command, { directory: clone, env: environment() })
  expect(await terminal.ends()).toBe(0)
  expect(terminal.screen()).toMatch(/Installing[^\n]* … 0 s [^\n]* … 1 s [^\n]*done in/)
  await rm(join(clone, 'node_modules/.parley-installed'))
  await slowNpm(9)
  expect(await bring('prepare')).toMatch(/Installing[^\n]* … 0 s\n[^\n]* … [89] s\n[^\n]*done in/)
})

test('a start does not bring the Node that it already runs on', async () => {
  await bring('prepare')
  expect((await npmWasAsked()).join()).not.toContain('node-24')
})

test('tests bring everything after a start, and a start after them brings nothing', async () => {
  await bring('prepare')
  await npmWasAsked()
  await bring('prepareAll')
  const [asked] = await npmWasAsked()
  expect(asked).toMatch(/^install /)
  expect(asked).not.toContain('--workspace')
  expect(await bring('prepare')).toBe('')
  expect(await npmWasAsked()).toEqual([])
})

test.each(['', 'all '])(
  'once everything is there a start keeps it so when packages change (stamp "%s…")',
  async (stamp) => {
    await write('node_modules/.parley-installed', `${stamp}0123`)
    await bring('prepare')
    const [asked] = await npmWasAsked()
    expect(asked).toMatch(/^install /)
    expect(asked).not.toContain('--workspace')
  },
)

test('a changed source is built again, and only what is made of it', async () => {
  await bring('prepare')
  for (const name of ['server', 'cli']) await write(`packages/${name}/bundle/main.js`, 'as it was')
  await write('packages/tools/src/new-tool.ts', '')
  // Clocks of file systems are coarse.
  await utimes(join(clone, 'packages/tools/src/new-tool.ts'), Date.now() / 1_000 + 1, Date.now() / 1_000 + 1)
  await bring('prepare')
  const [server, cli] = await Promise.all(
    ['server', 'cli'].map((name) => readFile(join(clone, `packages/${name}/bundle/main.js`), 'utf8')),
  )
  expect({ server, cli }).toEqual({ server: '', cli: 'as it was' })
})

test('a package that is not the one we know is refused', async () => {
  await write(MERMAID, '// an older one\n')
  await expect(bring('prepare')).rejects.toThrow(/is not the package we know/)
  expect(await readFile(join(clone, MERMAID), 'utf8')).toBe('// an older one\n')
})

/** An npm that takes so long. */
async function slowNpm(seconds: number): Promise<void> {
  await write('bin/npm', `#!/bin/sh\nsleep ${seconds}\n`)
  await chmod(join(clone, 'bin/npm'), 0o755)
}

function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { ...process.env, ...more, PATH: `${join(clone, 'bin')}:${process.env['PATH']}` }
}

/** What a person sees of it. */
function bring(what: 'prepare' | 'prepareAll', more: NodeJS.ProcessEnv = {}): Promise<string> {
  const script = `await (await import('./scripts/prepare.mjs')).${what}()`
  const env = environment(more)
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ['--input-type=module', '-e', script], { cwd: clone, env }, (error, _out, said) => {
      if (error) reject(new Error(said))
      else resolve(said)
    })
  })
}

/** Since the last time. */
async function npmWasAsked(): Promise<string[]> {
  const file = join(clone, 'asked')
  const lines = (await readFile(file, 'utf8').catch(() => '')).trim().split('\n')
  await rm(file, { force: true })
  return lines.filter((line) => line !== '')
}

async function write(name: string, content: string): Promise<void> {
  await mkdir(dirname(join(clone, name)), { recursive: true })
  await writeFile(join(clone, name), content)
}
