import { expect, test } from 'vitest'
import { Slots } from './slots.ts'

const never = new AbortController().signal

test('whoever waits gets a turn in order, and one that is aborted leaves the line', async () => {
  const slots = new Slots(1)
  await slots.take('a', never)
  const stop = new AbortController()
  const order: string[] = []
  const first = slots.take('b', never).then(() => order.push('first'))
  const second = slots.take('c', stop.signal).catch(() => order.push('second gave up'))
  const third = slots.take('d', never).then(() => order.push('third'))
  stop.abort(new Error('stopped'))
  await second
  slots.free('a')
  await first
  slots.free('b')
  await third
  expect(order).toEqual(['second gave up', 'first', 'third'])
})

test('one that is aborted already takes nothing, and the line has an end; who fills half of it keeps nobody else out', async () => {
  const slots = new Slots(1)
  await expect(slots.take('a', AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
  await slots.take('a', never)
  const waiting = Array.from({ length: 500 }, () => slots.take('a', never).then(() => slots.free('a')))
  await expect(slots.take('a', never)).rejects.toThrow('Too many calls wait')
  const others = Array.from({ length: 500 }, (_, at) => slots.take(`b${at}`, never).then(() => slots.free(`b${at}`)))
  await expect(slots.take('c', never)).rejects.toThrow('Too many calls wait')
  slots.free('a')
  await Promise.all([...waiting, ...others])
  // Nothing was lost on the way.
  await slots.take('c', never)
})

test('[W12.10] nobody has more than half of them, however many it wants: the others begin at once', async () => {
  const slots = new Slots(8)
  const begun: string[] = []
  const want = (who: string) => void slots.take(who, never).then(() => begun.push(who))
  for (let call = 0; call < 100; call++) want('greedy')
  for (const who of ['x', 'y', 'z']) want(who)
  await new Promise(setImmediate)
  expect(begun).toEqual(['greedy', 'greedy', 'greedy', 'greedy', 'x', 'y', 'z'])
})

test('[W12.10] when all are taken, the next is for whoever has the fewest, not for whoever asked most', async () => {
  const slots = new Slots(8)
  const begun: string[] = []
  const want = (who: string) => void slots.take(who, never).then(() => begun.push(who))
  for (let call = 0; call < 100; call++) {
    want('greedy')
    want('too')
  }
  want('modest')
  want('modest')
  await new Promise(setImmediate)
  expect(begun).toHaveLength(8)
  slots.free('greedy')
  slots.free('too')
  await new Promise(setImmediate)
  expect(begun.slice(8)).toEqual(['modest', 'modest'])
  slots.free('modest')
  await new Promise(setImmediate)
  expect(begun.slice(10)).toEqual(['greedy'])
})
