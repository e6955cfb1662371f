import { expect, test } from 'vitest'
import type { Message } from './frame.ts'
import { Outbox } from './outbox.ts'

const message = (text: string, id = 'm'): Message => ({
  id,
  name: 'OneDragon',
  role: 'assistant',
  content: [{ type: 'text', text }],
  metadata: null,
  timestamp: '',
})

function outboxAt(clock: { now: number }, maxBytes = 1_000): Outbox {
  return new Outbox({
    intervalMs: 50,
    maxBytes,
    now: () => clock.now,
    frameOf: (_type, { content }) => JSON.stringify(content),
  })
}

const textIn = (frame: string | undefined) => frame && (JSON.parse(frame) as [{ text: string }])[0].text

test('[O10.1] the first text of a message goes at once, then the newest of each interval', () => {
  const clock = { now: 0 }
  const outbox = outboxAt(clock)
  outbox.update(message('a'))
  expect(textIn(outbox.take())).toBe('a')
  outbox.update(message('ab'))
  outbox.update(message('abc'))
  clock.now = 49
  expect(outbox.take()).toBeUndefined()
  clock.now = 50
  expect(textIn(outbox.take())).toBe('abc')
  expect(outbox.take()).toBeUndefined()
  outbox.update(message('x', 'next'))
  expect(textIn(outbox.take())).toBe('x')
})

test('[O10.2] [O10.4] an update that waits gives way to the end of its message, which is never dropped', () => {
  const outbox = outboxAt({ now: 0 })
  outbox.put('status')
  outbox.update(message('a'))
  outbox.put('completed a')
  outbox.update(message('b', 'next'))
  expect([outbox.take(), outbox.take(), textIn(outbox.take()), outbox.take()]).toEqual([
    'status',
    'completed a',
    'b',
    undefined,
  ])
})

test('[O10.3] beyond 16 KiB the interval grows with the content', () => {
  const clock = { now: 0 }
  const outbox = outboxAt(clock)
  const text = 'x'.repeat(64 * 1024)
  outbox.update(message(text))
  outbox.take()
  outbox.update(message(`${text}y`))
  clock.now = 199
  expect(outbox.take()).toBeUndefined()
  clock.now = 201
  expect(outbox.take()).toContain('xy')
})

test('[O10.5] several frames beyond the limit are too many; one alone, however long, is not', () => {
  const outbox = outboxAt({ now: 0 }, 10)
  outbox.put('x'.repeat(100))
  expect(outbox.isOverfull).toBe(false)
  outbox.put('y')
  expect(outbox.isOverfull).toBe(true)
  outbox.take()
  expect(outbox.isOverfull).toBe(false)
})

test('whoever waits is woken by a frame, by the time of an update, and by the end', async () => {
  const clock = { now: 0 }
  const outbox = outboxAt(clock)
  setTimeout(() => outbox.put('frame'), 1)
  await outbox.changed(60_000)
  expect(outbox.take()).toBe('frame')
  outbox.update(message('a'))
  await outbox.changed(60_000)
  outbox.take()
  outbox.close()
  await outbox.changed(60_000)
})

test('[O3.4] silence is silence, also when a timer is early by a fraction of a millisecond', async () => {
  const outbox = outboxAt({ now: 0 })
  for (let time = 0; time < 100; time++) expect(await outbox.changed(3)).toBe('silent')
  const changed = outbox.changed(10_000)
  outbox.update(message('a'))
  expect(await changed).toBe('changed')
})
