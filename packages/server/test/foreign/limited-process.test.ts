import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startNode } from '@parley/testkit'
import { expect, test } from 'vitest'
import { LimitedProcess } from '../../src/foreign/limited-process.ts'

const NUMBER = { schema: '{"type":"number"}', value: '1' }

test('a job that needs more memory than it may have ends its own process, and the next one works', async () => {
  const worker = new LimitedProcess({ job: 'schema', timeLimitMs: 60_000, memoryMb: 64 })
  const value = `[${'{"a":1},'.repeat(3_000_000)}1]`
  await expect(worker.run({ schema: '{}', value })).rejects.toMatchObject({ reason: 'slow' })
  expect(await worker.run(NUMBER)).toEqual(
    await new LimitedProcess({ job: 'schema', timeLimitMs: 60_000, memoryMb: 64 }).run(NUMBER),
  )
}, 120_000)

test('a job that is kept from the processor for longer than its limit is no slow one', async () => {
  const worker = new LimitedProcess({ job: 'schema', timeLimitMs: 1_000, memoryMb: 64 })
  const before = new Set(children())
  await worker.run(NUMBER)
  const [pid] = children().filter((child) => !before.has(child))
  process.kill(pid!, 'SIGSTOP')
  setTimeout(() => process.kill(pid!, 'SIGCONT'), 1_500)
  expect(await worker.run(NUMBER)).toEqual(await worker.run(NUMBER))
})

function children(): number[] {
  const text = readdirSync('/proc/self/task').map((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8'))
  return text.join(' ').split(/\s+/).filter(Boolean).map(Number)
}

test('a job without an end ends with its server, however that ends', async () => {
  await using owner = startNode(join(import.meta.dirname, 'workers/busy-owner.ts'))
  const [, pid] = await owner.line(/^worker (\d+) /)
  expect(existsSync(`/proc/${pid}`)).toBe(true)
  owner.signal('SIGKILL')
  await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 20_000 }).toBe(false)
})
