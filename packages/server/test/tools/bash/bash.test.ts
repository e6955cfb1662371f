import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isAlive, until } from '../../sandbox/rig.ts'
import { newSession } from '../../store/fixtures.ts'
import { type Place, sqlitePlace } from '../../store/place.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { openTools, type ToolRig } from './tool-rig.ts'

let place: Place
let engine: Engine
let rig: ToolRig
let session_id: string

beforeAll(async () => {
  place = await sqlitePlace()
  engine = await place.open()
  session_id = await newSession(engine)
  rig = await openTools(engine, session_id)
})

afterAll(async () => {
  await rig[Symbol.asyncDispose]()
  await engine[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

test('a command’s output and errors come back in the order they were printed', async () => {
  const result = await rig.call('Bash', { command: 'echo one; echo two >&2; echo three; echo four > /dev/stderr' })
  expect(result).toBe('one\ntwo\nthree\nfour\n')
})

test('a command finds the session’s variables and what the command before it left in the workspace', async () => {
  await rig.call('Bash', { command: 'echo "$GREETING" > greeting' }, { env: { GREETING: 'good\nday' } })
  expect(await rig.call('Bash', { command: 'cat greeting; cd /; echo $HOME' })).toBe(
    `good\nday\n${join(rig.directory, 'workspaces', session_id)}\n`,
  )
})

test('a command that prints nothing says so', async () => {
  expect(await rig.call('Bash', { command: 'true' })).toBe('(no output)')
})

test('a failing command is an error that tells its exit code and what it printed', async () => {
  await expect(rig.call('Bash', { command: 'echo half; exit 7' })).rejects.toThrow('Exit code 7.\nhalf')
})

test('a command over its time is killed and told so', async () => {
  const started = performance.now()
  const call = rig.call('Bash', { command: 'echo begun; sleep 60', timeout_ms: 3_000 })
  await expect(call).rejects.toThrow('Killed after its time limit of 3000 ms.\nbegun')
  expect(performance.now() - started).toBeLessThan(30_000)
})

test('an endless output is cut in the middle, in bounded memory', async () => {
  const before = process.memoryUsage().rss
  const failure = await rig.call('Bash', { command: 'echo first; yes', timeout_ms: 4_000 }).then(
    () => '',
    (error: Error) => error.message,
  )
  expect(failure).toMatch(/^Killed after its time limit of 4000 ms\.\nfirst\ny\n/)
  expect(failure).toMatch(/… \(\d{5,} bytes left out\) …/)
  expect(failure.length).toBeLessThan(70_000)
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 ** 2)
})

test('an abort reaches a sleeping command and its grandchildren within 2 s', async () => {
  const token = `${Math.random()}`.slice(2, 12)
  const stop = new AbortController()
  const call = rig.call(
    'Bash',
    { command: `sleep 3${token} & (setsid sleep 4${token} &); bash -c "bash -c 'sleep 5${token}; true'; true"` },
    { signal: stop.signal },
  )
  const settled = call.catch((error: Error) => error.name)
  await until(() => ['3', '4', '5'].every((digit) => isAlive(`${digit}${token}`)), 15_000, 'all three sleep')
  const stoppedAt = performance.now()
  stop.abort()
  expect(await settled).toBe('AbortError')
  await until(() => !isAlive(token), 1_000, 'every process gone')
  expect(performance.now() - stoppedAt).toBeLessThan(2_000)
})

test('a call whose run was stopped already starts nothing', async () => {
  const command = 'touch too-late'
  await expect(rig.call('Bash', { command }, { signal: AbortSignal.abort() })).rejects.toThrow('abort')
  expect(await rig.call('Bash', { command: 'ls' })).not.toContain('too-late')
})

test.each([
  ['short', 10],
  ['longer than the model’s limit', 200_000],
])('a JSON object with _meta comes back untouched, %s', async (_how, length) => {
  const card = JSON.stringify({ ok: true, _meta: { ui: { resourceHTML: 'x'.repeat(length), target: 'inline' } } })
  const command = `printf '{"ok":true,"_meta":{"ui":{"resourceHTML":"%s","target":"inline"}}}' "$(printf '%0${length}d' 0 | tr 0 x)"`
  const result = (await rig.call('Bash', { command })) as string
  expect({ isSame: result === card, length: result.length }).toEqual({ isSame: true, length: card.length })
})

test('arguments that do not fit are named', async () => {
  await expect(rig.call('Bash', { command: '', timeout_ms: 10_000_000 })).rejects.toThrow(/command: .*timeout_ms: /)
})

test('every command asks where there is no sandbox, and none does where there is one', async () => {
  await using bare = await openTools(engine, session_id, { best: 'none' })
  const risk = (tools: ToolRig['tools']) => tools.find(({ name }) => name === 'Bash')!.risk
  expect(risk(bare.tools)).toBe('high')
  expect(risk(rig.tools)).toBe(rig.sandbox.level === 'none' ? 'high' : 'medium')
  expect(await bare.call('Bash', { command: 'echo hello' })).toBe('hello\n')
})
