import { Agent } from 'node:http'
import { startFakeModel } from '@parley/testkit'
import { expect, test } from 'vitest'
import { type ListChange, watchModels } from './watch-models.ts'

test('a list is asked for again and again, told when it changes, and a failure is told once', async () => {
  const models = ['one']
  const provider = await startFakeModel([], { models })
  const stopping = new AbortController()
  const naps: { ms: number; wake: () => void }[] = []
  const changes: ListChange[] = []
  const server = { id: 'local', baseUrl: new URL(provider.url), agent: new Agent(), timeoutMs: 5_000 }
  watchModels(server, {
    sleep: (ms) => new Promise((wake) => void naps.push({ ms, wake })),
    signal: stopping.signal,
    onChange: (change) => changes.push(change),
  })
  /** When the list was asked for that many times. */
  const asked = (times: number) => expect.poll(() => naps.length).toBe(times)
  const { origin } = new URL(provider.url)

  await asked(1)
  naps[0]!.wake()
  await asked(2)
  expect(changes).toEqual([{ origin, models: ['one'] }])
  models.push('two')
  naps[1]!.wake()
  await asked(3)
  expect(changes.slice(1)).toEqual([{ origin, models: ['one', 'two'] }])

  await provider.close()
  naps[2]!.wake()
  await asked(4)
  naps[3]!.wake()
  await asked(5)
  expect(changes.slice(2)).toMatchObject([{ origin, failure: { kind: 'network' } }])
  expect(naps[4]!.ms, 'sooner than a list that is known').toBeLessThan(naps[0]!.ms)
  stopping.abort()
  naps[4]!.wake()
})
