/** What one sees while a command works, on a terminal and in a pipe, from a real server. */
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openTerminal } from '../../../test/walk/terminal.ts'
import { withDefaults } from '../../server/src/config/options.ts'
import { startServer } from '../../server/src/server.ts'
import { type FakeReply, type FakeRequest, startFakeModel } from '../../testkit/src/index.ts'
import { emptyFolder, type Folder } from './command-line.ts'

const KEY = 'sk-for-the-tests-of-progress-0123456789'
const MAIN = join(import.meta.dirname, '../src/main.ts')
const WRITE = { name: 'Write', arguments: { file_path: 'notes.md', content: 'one' } }
const BASH = { name: 'Bash', arguments: { command: './deploy.sh staging' } }

/** A write, a look, and an answer after an overloaded provider. */
function reply({ results, number, question }: FakeRequest): FakeReply {
  if (question === 'deploy' && results.length === 0) return { calls: [BASH] }
  if (number === 1) return { error: { status: 529 } }
  if (results.length === 0) return { calls: [WRITE, { name: 'Read', arguments: { file_path: 'nowhere.md' } }] }
  return { text: 'All **done**.', delayMs: question === 'slowly' ? 2_500 : 0 }
}

async function open() {
  const parts = new AsyncDisposableStack()
  const folder: Folder = parts.use(await emptyFolder())
  const model = parts.use(await startFakeModel(reply))
  const server = await startServer(
    withDefaults({
      port: 0,
      dataDir: folder.dataDir,
      ownerKey: KEY,
      language: 'en',
      drainMs: 200,
      modelUrl: model.url,
      model: 'fake-model',
      policy: { rules: [{ tool: 'Bash', decision: 'ask' }], headless: 'fail', confirmationMinutes: 15 },
    }),
    pino({ level: 'silent' }),
  )
  parts.defer(() => server[Symbol.asyncDispose]())
  const env = {
    PARLEY_URL: server.url,
    PARLEY_KEY: KEY,
    LANG: 'en_US.UTF-8',
    NO_COLOR: '1',
    PATH: process.env['PATH']!,
  }
  return { folder, env, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

/** A line per step, in their order: another try, each call with its time, what is read first, and the turn after them. */
const STEPS = [
  /^↻ .+$/,
  /^Turn 1 {2}fake-model$/,
  /^✗ Read file {2}nowhere\.md {2}\d+\.\d\d s$/,
  /^✓ Write file {2}notes\.md {2}\d+\.\d\d s$/,
  /^Turn 2 {2}fake-model$/,
]

test('[W10.12] run --progress tells a pipe each step on standard error; the JSON on standard output is as without', async () => {
  await using world = await open()
  const asked = await world.folder.start(['run', 'note it', '--json', '--progress'], { env: world.env }).ended
  expect(asked.code).toBe(0)
  expect(JSON.parse(asked.output)).toEqual({
    session_id: expect.stringMatching(/^sess_/),
    chat_run_id: expect.stringMatching(/^chat_/),
    result: 'All **done**.',
  })
  const lines = asked.errors.trimEnd().split('\n')
  for (const step of STEPS) expect(lines.shift()).toMatch(step)
  expect(lines).toEqual([])
})

test('[W10.12] a pipe that did not ask gets the result and nothing else', async () => {
  await using world = await open()
  expect(await world.folder.start(['run', 'note it'], { env: world.env }).ended).toEqual({
    code: 0,
    output: 'All **done**.\n',
    errors: '',
  })
})

test('[W10.12] on a terminal run tells each step, and what is under way second by second; --no-progress does not', async () => {
  await using world = await open()
  const command = (options: string) =>
    `'${process.execPath}' --conditions=parley-source '${MAIN}' run slowly ${options}`
  {
    await using terminal = openTerminal(command(''), { directory: world.folder.path, env: world.env })
    expect(await terminal.ends()).toBe(0)
    const lines = terminal
      .screen()
      .split('\n')
      .map((line) => line.split('\r\x1b[K').at(-1)!.trimEnd())
    expect(lines.filter((line) => STEPS.some((step) => step.test(line)))).toHaveLength(STEPS.length)
    expect(terminal.screen()).toMatch(/The model answers … 1 s/)
    expect(lines.at(-2)).toBe('All **done**.')
  }
  await using terminal = openTerminal(command('--no-progress'), { directory: world.folder.path, env: world.env })
  expect(await terminal.ends()).toBe(0)
  expect(terminal.screen().trimEnd()).toBe('All **done**.')
})

test('[W10.12] a call that would need consent is named, and the run ends with the reason', async () => {
  await using world = await open()
  const { code, errors, output } = await world.folder.start(['run', 'deploy', '--progress'], {
    env: world.env as never,
  }).ended
  expect([code, output]).toEqual([1, ''])
  expect(errors).toMatch(/^Turn 1 {2}fake-model\n[✗?] Run command {2}\.\/deploy\.sh staging.*\n/)
  expect(errors).toMatch(/confirm|consent/i)
})

test('[W12.6] an export and an import tell a terminal how far they are, and a pipe nothing', async () => {
  await using world = await open()
  const { env } = world
  const asked = await world.folder.start(['run', 'note it', '--json'], { env }).ended
  const { session_id } = JSON.parse(asked.output) as { session_id: string }
  const file = join(world.folder.path, 'out.zip')
  const at = (words: string) => `'${process.execPath}' --conditions=parley-source '${MAIN}' sessions ${words}`
  await using writing = openTerminal(at(`export ${session_id} --output '${file}'`), {
    directory: world.folder.path,
    env,
  })
  expect(await writing.ends()).toBe(0)
  expect(writing.screen()).toMatch(/Writing .* … 0 s/)
  expect(writing.screen().split('\r\x1b[K').at(-1)!.trimEnd()).toBe(file)
  await using reading = openTerminal(at(`import '${file}'`), { directory: world.folder.path, env })
  expect(await reading.ends()).toBe(0)
  expect(reading.screen()).toMatch(/Importing .*0\.0 MB … 0 s/)
  expect(reading.screen().split('\r\x1b[K').at(-1)!.trimEnd()).toMatch(/^sess_\w+$/)
  expect(await world.folder.start(['sessions', 'import', file], { env }).ended).toMatchObject({ code: 0, errors: '' })
})
