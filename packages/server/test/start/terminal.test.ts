import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type NodeProcess, startProgram } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { openTerminal } from '../../../../test/walk/terminal.ts'
import { environment, json, listening, MAIN, newHome, start } from './home.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const isPossible = spawnSync('script', ['--version']).status === 0

/** A person's way to start it: standard output is a terminal. */
describe.skipIf(!isPossible)('in a terminal (needs util-linux `script`)', () => {
  test.each([
    ['npm start', 'npm start', ROOT],
    ['the program itself', `'${process.execPath}' '${MAIN}'`, undefined],
  ])('%s says in readable lines where it listens and how to sign in', async (_what, command, directory) => {
    await using home = await newHome()
    await using server = inTerminal(command, environment(home.path), directory ?? home.path)
    const url = await listening(server)
    expect(await json(`${url}/api/health`)).toEqual({ status: 'ok' })
    const [line] = await server.line(/^.*http\S+code=.*$/)
    expect(line).toMatch(/^\[\d\d:\d\d:\d\d\]/)
    for (const said of ['Model: demo', 'Tools: ', 'Command limits: ']) await server.line(new RegExp(said))
  })

  test('Ctrl-C reaches what npm test runs once', async () => {
    const child = `let n = 0; process.on('SIGINT', () => { console.log('signal ' + ++n); if (n === 10) setTimeout(() => process.exit(n), 1000) }); setInterval(() => 0, 1000); console.log('ready')`
    const start = `import('./scripts/prepare.mjs').then(async ({ run }) => process.exit(await run(process.execPath, ['-e', process.env.CHILD])))`
    const env = { ...process.env, CHILD: child, START: start }
    await using terminal = openTerminal(`'${process.execPath}' -e "$START"`, { directory: ROOT, env })
    await terminal.shows(/ready/)
    for (let count = 1; count <= 10; count++) {
      terminal.type('\x03')
      await terminal.shows(new RegExp(`signal ${count}\\b`))
      // One that comes at the same time is not seen, and nothing tells that there is no other.
      await delay(100)
    }
    expect(await terminal.ends(), terminal.screen()).toBe(10)
  })

  test.each([
    // npm has a code of its own for Ctrl-C, whatever its script ends with.
    ['npm start', 130],
    ['node scripts/start.mjs', 0],
  ])('[W12.14] Ctrl-C stops %s in good order', async (command, code) => {
    await using home = await newHome()
    const env = { ...process.env, ...environment(home.path) }
    await using terminal = openTerminal(command, { directory: ROOT, env })
    await terminal.shows(/listening on/)
    terminal.type('\x03')
    expect(await terminal.ends(), terminal.screen()).toBe(code)
    expect(terminal.screen()).toMatch(/Stopping/)
    expect(terminal.screen()).not.toMatch(/started again/)
  })

  test('[W12.14] a second Ctrl-C ends the server at once, whatever is under way', async () => {
    await using home = await newHome()
    const key = 'sk-for-the-tests-of-the-terminal-0123456789'
    const own = { PARLEY_OWNER_KEY: key, PARLEY_DRAIN_MS: '600000', OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' }
    const env = { ...process.env, ...environment(home.path), ...own }
    await using terminal = openTerminal('node scripts/start.mjs', { directory: ROOT, env })
    const [, url] = await terminal.shows(/listening on (http:\/\/[\w.:]+)/)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const post = (path: string, body: object) =>
      fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    const { session_id } = (await (await post('/api/sessions', {})).json()) as { session_id: string }
    const answer = post(`/api/sessions/${session_id}/chat`, { message: '慢慢回答' }).catch(() => undefined)
    await expect
      .poll(async () => json(`${url}/api/sessions/${session_id}`, headers))
      .toMatchObject({ status: 'running' })
    terminal.type('\x03')
    await terminal.shows(/Stopping/)
    const timer = setInterval(() => terminal.type('\x03'), 200)
    expect(await terminal.ends().finally(() => clearInterval(timer)), terminal.screen()).toBe(1)
    await answer
  })

  test('what is wrong with the configuration is a sentence and exit code 2', async () => {
    await using home = await newHome({ 'parley.config.json': '{ "port": "many" }' })
    await using server = inTerminal(`'${process.execPath}' '${MAIN}'`, {}, home.path)
    expect(await server.exited, server.lines.join('\n')).toBe(2)
    expect(server.lines.join('\n')).toMatch(/port \(PARLEY_PORT\)/)
  })
})

test('[W12.14] SIGTERM for npm alone reaches the server, which ends in good order', async () => {
  await using home = await newHome()
  await using npm = startProgram('npm', ['start'], { env: environment(home.path), cwd: ROOT })
  await npm.line(/listening on/)
  npm.signal('SIGTERM')
  await npm.exited
  await expect.poll(() => npm.lines.join('\n')).toMatch(/Stopping/)
  await using next = start(home.path)
  await listening(next)
})

/** Ends with its terminal: when `script` is gone, the programs in it get SIGHUP. */
function inTerminal(command: string, env: Record<string, string>, cwd: string): NodeProcess {
  return startProgram('script', ['-qefc', command, '/dev/null'], { env, cwd })
}
