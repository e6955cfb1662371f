import { expect, test } from 'vitest'
import type { ModelEvent, TextPace } from '../ports.ts'
import { EventQueue } from './event-queue.ts'
import { gathered } from './gathered.ts'

/** A pace whose moments come when the test says so. */
class Moments implements TextPace {
  #waiting: (() => void)[] = []

  get asked(): number {
    return this.#waiting.length
  }

  next(goOn: () => void): void {
    this.#waiting.push(goOn)
  }

  pass(): void {
    for (const goOn of this.#waiting.splice(0)) goOn()
  }
}

function open(pace?: TextPace) {
  const aborter = new AbortController()
  const told: string[] = []
  const queue = new EventQueue({
    signal: aborter.signal,
    ...(pace && { pace }),
    onFull: () => told.push('full'),
    onDrained: () => told.push('drained'),
    onReturn: () => told.push('return'),
  })
  const got: (ModelEvent | 'over')[] = []
  /** Reads as a loop does: the next one once this one is done with. */
  const read = async () => {
    for await (const event of queue) got.push(event)
    got.push('over')
  }
  return { queue, got, told, aborter, read: read() }
}

const text = (delta: string): ModelEvent => ({ type: 'text', delta })
const soon = () => new Promise((resolve) => setImmediate(resolve))
const END: ModelEvent = { type: 'part_end', part: 'text' }

test('[D8] the first piece of a block goes at once, the next ones gather until the pace says so, as one', async () => {
  const pace = new Moments()
  const { queue, got } = open(pace)
  queue.push(text('a'))
  await soon()
  expect(got).toEqual([text('a')])
  for (const delta of 'bcd') queue.push(text(delta))
  await soon()
  expect(got).toHaveLength(1)
  expect(pace.asked).toBe(1)
  pace.pass()
  await soon()
  expect(got).toEqual([text('a'), text('bcd')])
  queue.push({ type: 'thinking', delta: 'another block' })
  await soon()
  expect(got).toHaveLength(3)
})

test('[W5.4] whatever comes after a text takes it along at once', async () => {
  const pace = new Moments()
  const { queue, got, read } = open(pace)
  queue.push(text('a'))
  await soon()
  queue.push(text('b'))
  queue.push(END)
  await soon()
  expect(got).toEqual([text('a'), text('b'), END])
  queue.push(text('c'))
  queue.push(text('d'))
  queue.end()
  await read
  expect(got.slice(3)).toEqual([text('c'), text('d'), 'over'])
})

test('a moment that was asked for and overtaken serves the text that gathers then', async () => {
  const pace = new Moments()
  const { queue, got } = open(pace)
  queue.push(text('a'))
  await soon()
  queue.push(text('b'))
  queue.push(END)
  queue.push(text('c'))
  await soon()
  queue.push(text('d'))
  await soon()
  expect(got).toEqual([text('a'), text('b'), END, text('c')])
  expect(pace.asked).toBe(1)
  pace.pass()
  await soon()
  expect(got.at(-1)).toEqual(text('d'))
})

test('an abort takes what has gathered and ends the queue', async () => {
  const pace = new Moments()
  const { queue, got, aborter, read } = open(pace)
  queue.push(text('a'))
  await soon()
  queue.push(text('b'))
  aborter.abort()
  queue.end()
  await read
  expect(got).toEqual([text('a'), 'over'])
})

test('too much unread text tells the producer to wait, and reading it to go on', async () => {
  const { queue, told, got } = open(new Moments())
  queue.push(text('a'))
  await soon()
  queue.push(text('x'.repeat(300_000)))
  expect(told).toEqual(['full'])
  queue.push(END)
  await soon()
  expect(got).toHaveLength(3)
  expect(told).toEqual(['full', 'drained'])
})

test('a model that tells every piece by itself is gathered too; what it throws arrives, and who leaves ends it', async () => {
  const { signal } = new AbortController()
  const pace: TextPace = { next: (goOn) => void setImmediate(goOn) }
  const failing = async function* (): AsyncGenerator<ModelEvent> {
    for (const delta of 'abc') yield text(delta)
    throw new Error('broken')
  }
  const said: string[] = []
  const reading = (async () => {
    for await (const event of gathered(failing(), { signal, pace })) said.push((event as { delta: string }).delta)
  })()
  await expect(reading).rejects.toThrow('broken')
  expect(said.join('')).toBe('abc')

  let isOver = false
  const endless = async function* (): AsyncGenerator<ModelEvent> {
    try {
      for (;;) {
        await soon()
        yield text('x')
      }
    } finally {
      isOver = true
    }
  }
  for await (const _event of gathered(endless(), { signal, pace })) break
  await expect.poll(() => isOver).toBe(true)
})
