import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type NodeProcess, startNode } from '@parley/testkit'
import { expect, test, vi } from 'vitest'
import { isAlive, json, listening, newHome, start } from './home.ts'
import { superviseServer, superviseText } from './supervise.ts'

/** Fast, and never well. */
const PACE = { waitsMs: [0, 50, 100], steadyMs: 3_600_000 }

/** Does what `steps` says, one at a time, however often it is started. */
const inSteps = (steps: readonly string[]) => `
  import { appendFileSync, existsSync, readFileSync } from 'node:fs'
  const done = existsSync('starts') ? readFileSync('starts', 'utf8').split('\\n').length - 1 : 0
  appendFileSync('starts', process.env.PARLEY_SUPERVISED + '\\n')
  const end = (code) => process.exit(code)
  const die = (signal) => { process.kill(process.pid, signal); setInterval(() => 0, 1000) }
  const ready = () => new Promise((resolve) => process.send({ ready: 'en' }, resolve))
  ;[${steps.map((step) => `async () => { ${step} }`).join(', ')}][done]()`

/** Says which signal it got; ends at the second one. */
const LISTENING = `
  let count = 0
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      console.log('got ' + signal + ' ' + ++count)
      if (count === 2) process.exit(1)
      if (process.env.OBEYS) setTimeout(() => process.exit(0), 100)
    })
  setInterval(() => 0, 1000)
  console.log('child ' + process.pid)`

const startsIn = async (home: string) => (await readFile(join(home, 'starts'), 'utf8')).trim().split('\n')

test.each([
  ['0, the end in good order', 'end(0)', 0],
  ['2, a wrong configuration', 'end(2)', 2],
  ['3, storage, at the first start', 'end(3)', 3],
  ['4, an address that is taken', 'end(4)', 4],
  ['a signal that asks it to end', "die('SIGTERM')", 143],
])('[W12.14] %s is passed on at once', async (_what, step, code) => {
  await using home = await newHome()
  await using supervisor = superviseText(inSteps([step]), { home: home.path, pace: PACE })
  expect(await supervisor.exited, supervisor.lines.join('\n')).toBe(code)
  expect(await startsIn(home.path)).toEqual(['0'])
})

test('[W12.14] a death is followed by a new start, and the log says why and when', async () => {
  await using home = await newHome()
  const text = inSteps(["die('SIGKILL')", 'end(1)', "die('SIGSEGV')", 'end(0)'])
  await using supervisor = superviseText(text, { home: home.path, pace: PACE })
  expect(await supervisor.exited).toBe(0)
  expect(await startsIn(home.path)).toEqual(['0', '1', '2', '3'])
  const said = supervisor.lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
  expect(said).toEqual([
    'The server is gone: it died of SIGKILL. It is started again at once.',
    'The server is gone: it ended with exit code 1. It is started again in 0.1 s (attempt 2 of 3).',
    'The server is gone: it died of SIGSEGV. It is started again in 0.1 s (attempt 3 of 3).',
  ])
})

test('[W12.14] storage that was there before may come back', async () => {
  await using home = await newHome()
  const text = inSteps(['await ready(); end(1)', 'end(3)', 'await ready(); end(0)'])
  await using supervisor = superviseText(text, { home: home.path, pace: PACE })
  expect(await supervisor.exited).toBe(0)
  expect(await startsIn(home.path)).toHaveLength(3)
  expect(supervisor.lines.at(-1)).toMatch(/The server is back, \d+(\.\d)? s after it was gone/)
})

test.each([
  ['en', /started 4 times in a row and did not stay for 3600 s; last time, it ended with exit code 1\./],
  ['zh', /已连续启动 4 次.*最后一次以退出码 1 结束/],
])(
  '[W12.14] after so many deaths in a row it gives up with a reason and the last exit code (%s)',
  async (language, said) => {
    await using home = await newHome()
    const text = inSteps(["die('SIGABRT')", 'end(1)', 'end(7)', 'end(1)'])
    const env = { PARLEY_LANGUAGE: language }
    await using supervisor = superviseText(text, { home: home.path, pace: PACE, env })
    expect(await supervisor.exited).toBe(1)
    expect(await startsIn(home.path)).toHaveLength(4)
    expect(supervisor.lines.at(-1)).toMatch(said)
  },
)

test('[W12.14] after one that was well the count begins anew', async () => {
  await using home = await newHome()
  const text = inSteps([...Array.from({ length: 5 }, () => 'end(1)'), 'end(0)'])
  const pace = { waitsMs: [0], steadyMs: 0 }
  await using supervisor = superviseText(text, { home: home.path, pace })
  expect(await supervisor.exited).toBe(0)
  expect(await startsIn(home.path)).toEqual(['0', '1', '1', '1', '1', '1'])
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '[W12.14] %s reaches the server once, and its exit code is the supervisor’s',
  async (signal) => {
    await using home = await newHome()
    await using supervisor = superviseText(LISTENING, { home: home.path, pace: PACE, env: { OBEYS: '1' } })
    await supervisor.line(/child/)
    // As npm, a terminal and a service manager do: more than once for one wish.
    supervisor.signal(signal)
    supervisor.signal(signal)
    expect(await supervisor.exited).toBe(0)
    expect(supervisor.lines.slice(1)).toEqual([`got ${signal} 1`])
  },
)

test('[W12.14] a second signal ends the server at once', async () => {
  await using home = await newHome()
  await using supervisor = superviseText(LISTENING, { home: home.path, pace: PACE })
  await supervisor.line(/child/)
  supervisor.signal('SIGTERM')
  await supervisor.line(/got SIGTERM 1/)
  await repeat(supervisor, 'SIGTERM')
  expect(await supervisor.exited).toBe(1)
  expect(supervisor.lines.at(-1)).toBe('got SIGTERM 2')
})

test('[W12.14] a second signal also ends one that does not listen', async () => {
  await using home = await newHome()
  const deaf = `process.on('SIGTERM', () => {}); setInterval(() => 0, 1000); console.log('child')`
  await using supervisor = superviseText(deaf, { home: home.path, pace: PACE })
  await supervisor.line(/child/)
  await repeat(supervisor, 'SIGTERM')
  expect(await supervisor.exited).toBe(137)
})

test('[W12.14] a signal while nothing runs ends the wait, with the last exit code', async () => {
  await using home = await newHome()
  const pace = { waitsMs: [3_600_000], steadyMs: 3_600_000 }
  await using supervisor = superviseText(inSteps(['end(1)']), { home: home.path, pace })
  await supervisor.line(/started again in 3600 s/)
  supervisor.signal('SIGTERM')
  expect(await supervisor.exited).toBe(1)
})

test('[W12.14] a server whose supervisor was killed notices, and leaves its data directory in good order', async () => {
  await using home = await newHome()
  await using supervisor = superviseServer({ home: home.path })
  await listening(supervisor)
  const { pid } = await holder(home.path)
  supervisor.signal('SIGKILL')
  await supervisor.exited
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 20_000)
  expect(supervisor.lines.join('\n')).toMatch(/The process that supervises this server is gone/)
  await using next = start(home.path)
  await listening(next)
})

test('[W12.14] a server that was killed is back, and its supervisor says after how long', async () => {
  await using home = await newHome()
  await using supervisor = superviseServer({ home: home.path, env: { PARLEY_LANGUAGE: 'zh' } })
  await supervisor.line(/已启动：http/)
  const first = await holder(home.path)
  process.kill(first.pid, 'SIGKILL')
  await supervisor.line(/服务器已退出：被 SIGKILL 终止。立即重新启动。/)
  await supervisor.line(/服务器已恢复，距退出 \d+(\.\d)? 秒/)
  const second = await holder(home.path)
  expect(second.pid).not.toBe(first.pid)
  expect(await json(`${second.url}/api/health`)).toEqual({ status: 'ok' })
  supervisor.signal('SIGTERM')
  expect(await supervisor.exited).toBe(0)
})

test('[W12.14] a signal for the whole group is one wish: the server ends in good order', async () => {
  await using home = await newHome()
  await using supervisor = superviseServer({ home: home.path })
  await listening(supervisor)
  const { pid } = await holder(home.path)
  process.kill(pid, 'SIGTERM')
  supervisor.signal('SIGTERM')
  supervisor.signal('SIGTERM')
  expect(await supervisor.exited).toBe(0)
  expect(supervisor.lines.join('\n')).not.toMatch(/started again/)
})

test('[W12.14] parley serve is supervised, also behind another option', async () => {
  await using home = await newHome()
  const args = ['--language', 'en', 'serve', '--port', '0', '--data-dir', join(home.path, 'data')]
  await using parley = startNode(join(import.meta.dirname, '../../../cli/bin/parley.mjs'), args, { cwd: home.path })
  await parley.line(/sign-in link/)
  process.kill((await holder(home.path)).pid, 'SIGKILL')
  await parley.line(/The server is back/)
  parley.signal('SIGTERM')
  expect(await parley.exited).toBe(0)
})

test('[W12.14] what is wrong with the configuration is said once, in the server’s own words', async () => {
  await using home = await newHome({ 'parley.config.json': '{ "prot": 8020 }' })
  await using supervisor = superviseServer({ home: home.path })
  expect(await supervisor.exited).toBe(2)
  expect(supervisor.lines.join('\n').match(/no such option/g)).toHaveLength(1)
})

test('[W12.14] a variable that somebody else has set supervises nothing, and is not complained about', async () => {
  await using home = await newHome()
  await using server = start(home.path, { PARLEY_SUPERVISED: '0' })
  await listening(server)
  expect(server.lines.join('\n')).not.toMatch(/PARLEY_SUPERVISED|supervises/)
})

/** Until it has ended: signals that come at the same time are one. */
async function repeat(supervisor: NodeProcess, signal: NodeJS.Signals): Promise<void> {
  const timer = setInterval(() => supervisor.signal(signal), 200)
  await supervisor.exited.finally(() => clearInterval(timer))
}

async function holder(home: string): Promise<{ pid: number; url: string }> {
  return JSON.parse(await readFile(join(home, 'data/server.json'), 'utf8')) as { pid: number; url: string }
}
