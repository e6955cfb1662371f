import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openTools } from './rig.ts'

const PID = '() => process.pid'
const SLOW = '() => delay(700, process.pid)'
const says = (text: string) =>
  `async () => { fs.writeSync(3, ${JSON.stringify(text)}); await delay(300); return 'mine' }`

test('[W12.10] what a call tells after its end reaches nobody: not the next call in that process', async () => {
  await using tools = await openTools({
    leaks: `(_input, { progress }) => { setInterval(() => progress('of another'), 50).unref(); progress('mine'); return process.pid }`,
    slow: SLOW,
  })
  const [mine, others]: [string[], string[]] = [[], []]
  const { result } = await tools.call('leaks', mine)
  // In the same process, or nothing is shown.
  expect(await tools.call('slow', others)).toEqual({ result })
  expect(mine).toEqual(['mine'])
  expect(others).toEqual([])
})

test.each([
  ['no JSON', 'this is no json\n'],
  ['nothing', '\n'],
  ['null', 'null\n'],
  ['a list', '[1]\n'],
  ['a message of Node', '{"cmd":"NODE_HANDLE","type":"net.Socket","msg":1}\n'],
  ['a deep one', `${'['.repeat(5_000)}${']'.repeat(5_000)}\n`],
  ['half a line', '{"type":"done"'],
])('[W12.10] [D7] %s in the process’s own channel fails that call alone, or nobody', async (_what, text) => {
  await using tools = await openTools({ says: says(text), pid: PID })
  const run = new AsyncLocalStorage<string>()
  const [said, other] = await run.run('its run', () => Promise.all([tools.call('says'), tools.call('pid')]))
  if (said.isError)
    expect(said.result).toBe('says wrote into the channel between its process and the server, and was ended.')
  else expect(said).toEqual({ result: 'mine' })
  expect(other).toEqual({ result: expect.any(Number) })
  expect(await tools.call('pid')).toEqual({ result: expect.any(Number) })
})

test('[W12.10] [D7] a line in the channel that has no end is ended at 4 MiB, and so is a flood of words', async () => {
  await using tools = await openTools({
    endless: `() => { for (;;) try { fs.writeSync(3, 'x'.repeat(65_536)) } catch {} }`,
    says_much: `async () => { fs.writeSync(3, JSON.stringify({ type: 'progress', message: 'x'.repeat(70_000) }) + '\\n'); await delay(3_000) }`,
    floods: `() => { for (;;) try { fs.writeSync(3, '{"type":"progress","message":"x"}\\n') } catch {} }`,
    pid: PID,
  })
  for (const name of ['endless', 'says_much', 'floods']) {
    const at = performance.now()
    expect((await tools.call(name)).result).toContain('wrote into the channel')
    expect(performance.now() - at).toBeLessThan(5_000)
    expect(await tools.call('pid')).toEqual({ result: expect.any(Number) })
  }
})

const FORGED = '{"type":"done","status":"done","result":"forged","isSpent":false}\n'

test('[W12.10] a forged answer is nobody’s: neither its own call’s nor, later, the next one’s', async () => {
  await using tools = await openTools({
    forges: `async () => { fs.writeSync(3, ${JSON.stringify(FORGED)}); await delay(100); return process.pid }`,
    late: `() => { setTimeout(() => fs.writeSync(3, ${JSON.stringify(FORGED)}), 300).unref(); return process.pid }`,
    slow: SLOW,
    pid: PID,
  })
  const { result: forger } = await tools.call('forges')
  expect(forger).toEqual(expect.any(Number))
  // Whose process speaks out of turn is not trusted with another call.
  const { result: next } = await tools.call('late')
  expect(next).not.toBe(forger)
  expect(await tools.call('slow')).toEqual({ result: next })
  expect(await tools.call('pid')).toEqual({ result: expect.any(Number) })
  expect((await tools.call('pid')).result).not.toBe(next)
})

test('[W12.10] a process is in no run’s scope, whoever needed it first; what a call tells is in its own', async () => {
  const run = new AsyncLocalStorage<string>()
  const [said, told]: [unknown[], unknown[]] = [[], []]
  await using tools = await openTools(
    { chats: `(_input, { progress }) => { progress('told'); console.log('said'); return 1 }` },
    { onSaid: () => said.push(run.getStore()) },
  )
  for (const name of ['first', 'second']) {
    const hears = Object.assign([], { push: () => told.push(run.getStore()) }) as string[]
    await run.run(name, () => tools.call('chats', hears))
  }
  expect(said).toEqual([undefined, undefined])
  expect(told).toEqual(['first', 'second'])
})

const LEAVES: [what: string, run: string][] = [
  ['a timer', `() => { setTimeout(() => process.exit(3), 300); return process.pid }`],
  ['a throw for the next moment', `() => { setTimeout(() => { throw new Error('late') }, 1); return process.pid }`],
  ['an exit for the next moment', `() => { setTimeout(() => process.exit(3), 1); return process.pid }`],
  ['an interval', `() => { setInterval(() => 1, 1_000); return process.pid }`],
  ['a server', `() => { net.createServer().listen(0, '127.0.0.1'); return process.pid }`],
  ['a connection', `async () => { await connected(); return process.pid }`],
  ['a program', `() => { spawn('sleep', ['97']); return process.pid }`],
]

test.each(LEAVES)('[W12.10] the process in which a call left %s is not used again', async (_what, run) => {
  await using tools = await openTools({ leaves: run, slow: SLOW })
  const { result } = await tools.call('leaves')
  expect(result).toEqual(expect.any(Number))
  const next = await tools.call('slow')
  expect(next).toEqual({ result: expect.any(Number) })
  expect(next.result).not.toBe(result)
})

const TIDY: [what: string, run: string][] = [
  ['nothing', PID],
  ['something written', `() => { console.log('out'); console.error('err'); return process.pid }`],
  ['a timer that keeps nobody', `() => { setTimeout(() => process.exit(3), 300).unref(); return process.pid }`],
  ['a request that is over', `async () => { await (await fetch(url)).text(); return process.pid }`],
  ['a program that is over', `async () => { await promisify(execFile)('true'); return process.pid }`],
  ['a file that is read', `async () => { await fs.promises.readFile('/etc/hostname'); return process.pid }`],
]

test.each(TIDY)(
  '[W12.10] the process in which a call left %s is used again, and no harm is done',
  async (_what, run) => {
    await using tools = await openTools({ leaves: run, slow: SLOW })
    const { result } = await tools.call('leaves')
    expect(result).toEqual(expect.any(Number))
    expect(await tools.call('slow')).toEqual({ result })
  },
)

test('[W12.10] a process without work is ended after its idle time, and the next call has another', async () => {
  await using tools = await openTools({ pid: PID }, { idleMs: 200 })
  const { result } = await tools.call('pid')
  await expect.poll(() => existsSync(`/proc/${Number(result)}/root`), { timeout: 45_000 }).toBe(false)
  expect((await tools.call('pid')).result).not.toBe(result)
})
