import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEventParser, type StreamEvent } from './event-parser.ts'
import { readEvents } from './read-events.ts'

function parse(...pieces: string[]) {
  const events: StreamEvent[] = []
  const names: string[] = []
  const parser = createEventParser({ onEvent: (event) => events.push(event), onEventName: (name) => names.push(name) })
  for (const piece of pieces) parser.push(piece)
  parser.end()
  return { events: events.map(({ event, data }) => [event, data]), names, ids: events.map(({ id }) => id) }
}

async function read(bytes: Uint8Array, cuts: number[]) {
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      edges.slice(1).forEach((edge, index) => controller.enqueue(bytes.subarray(edges[index], edge)))
      controller.close()
    },
  })
  const events: StreamEvent[] = []
  for await (const event of readEvents(new Response(body), { includeBare: true })) events.push(event)
  return events
}

test.each([
  ['LF', 'event: a\ndata: 1\n\n'],
  ['CR', 'event: a\rdata: 1\r\r'],
  ['CRLF', 'event: a\r\ndata: 1\r\n\r\n'],
  ['a mixture', 'event: a\r\ndata: 1\r\n\n'],
  ['no space after the colon', 'event:a\ndata:1\n\n'],
  ['comments between', ': hi\nevent: a\n:x\ndata: 1\n\n'],
])('[K6.1] an event is read with %s', (_, text) => {
  expect(parse(text).events).toEqual([['a', '1']])
})

test('[K6.1] several data lines are joined with LF, only one space is removed, a field may have no colon', () => {
  expect(parse('data:  x\ndata\ndata: y\n\n').events).toEqual([['', ' x\n\ny']])
})

test('[K6.1] an event without a data line is dropped and its name reported', () => {
  const { events, names } = parse('event: ping\n\nevent: done\n\ndata: 1\n\n')
  expect({ events, names }).toEqual({ events: [['', '1']], names: ['ping', 'done'] })
})

test('[K6.1] an unfinished event counts at the end only if its data is JSON', () => {
  expect(parse('data: {"a":1}').events).toEqual([['', '{"a":1}']])
  expect(parse('data: {"a":1').events).toEqual([])
  expect(parse('data: {"a":1}\n').events).toEqual([['', '{"a":1}']])
})

test('[K6.1] one JSON object instead of a stream is one event', () => {
  expect(parse('{"code":41', '00,\n\n"msg":"x"}\n').events).toEqual([['', '{"code":4100,\n\n"msg":"x"}']])
})

test('[K6.1] ids last until the next one', () => {
  expect(parse('id: 7\ndata: 1\n\ndata: 2\n\nid: 8\ndata: 3\n\n').ids).toEqual(['7', '7', '8'])
})

test('[K6.1] an event above 8 MiB fails with protocol; comments do not add up', () => {
  const piece = 'x'.repeat(1024 * 1024)
  expect(() => parse('data: ', ...Array.from({ length: 9 }, () => piece))).toThrow(
    expect.objectContaining({ code: 'protocol' }),
  )
  expect(parse(...Array.from({ length: 9 }, () => `: ${piece}\n`), 'data: 1\n\n').events).toEqual([['', '1']])
})

test('[K6.1] any split of the bytes, also inside a character, gives the same events', async () => {
  const text =
    '\uFEFFevent: 你好\r\ndata: {"t":"水在 **0 °C** 结冰 🧊"}\r\n\r\n: c\revent: ping\r\rid: 3\ndata: a\ndata: b\n\ndata: {"z":1}'
  const bytes = new TextEncoder().encode(text)
  const whole = await read(bytes, [])
  expect(whole.map(({ event, data }) => [event, data])).toEqual([
    ['你好', '{"t":"水在 **0 °C** 结冰 🧊"}'],
    ['ping', ''],
    ['', 'a\nb'],
    ['', '{"z":1}'],
  ])
  expect(await read(bytes, Array.from(bytes.keys()))).toEqual(whole)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { maxLength: 20 }), async (cuts) => {
      expect(await read(bytes, cuts)).toEqual(whole)
    }),
  )
})

test('[K5] an abort ends the reading, also of a body that knows no signal', async () => {
  const controller = new AbortController()
  const body = new ReadableStream<Uint8Array>({
    start: (sink) => sink.enqueue(new TextEncoder().encode('data: 1\n\n')),
  })
  const events = readEvents(new Response(body), { signal: controller.signal })
  expect((await events.next()).value).toMatchObject({ data: '1' })
  const next = events.next()
  controller.abort()
  await expect(next).rejects.toMatchObject({ code: 'aborted' })
})
