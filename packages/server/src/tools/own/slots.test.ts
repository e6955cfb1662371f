import { expect, test } from 'vitest'
import { Slots } from './slots.ts'

const never = new AbortController().signal

test('whoever waits gets a turn in order, and one that is aborted leaves the line', async () => {
  const slots = new Slots(1)
  await slots.take(never)
  const stop = new AbortController()
  const order: string[] = []
  const first = slots.take(never).then(() => order.push('first'))
  const second = slots.take(stop.signal).catch(() => order.push('second gave up'))
  const third = slots.take(never).then(() => order.push('third'))
  stop.abort(new Error('stopped'))
  await second
  slots.free()
  await first
  slots.free()
  await third
  expect(order).toEqual(['second gave up', 'first', 'third'])
})

test('one that is aborted already takes nothing, and the line has an end', async () => {
  const slots = new Slots(1)
  await expect(slots.take(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
  await slots.take(never)
  const waiting = Array.from({ length: 1_000 }, () => slots.take(never))
  await expect(slots.take(never)).rejects.toThrow('Too many calls wait')
  waiting.forEach(() => slots.free())
  await Promise.all(waiting)
})
