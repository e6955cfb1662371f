import { expect, test } from 'vitest'
import { MODEL_BYTES, OutputExcerpt } from './output-excerpt.ts'

function excerptOf(...chunks: string[]): OutputExcerpt {
  const excerpt = new OutputExcerpt()
  for (const chunk of chunks) excerpt.add(Buffer.from(chunk))
  return excerpt
}

test('a short output is shown as it is', () => {
  expect(excerptOf('one\n', 'two\n').text()).toBe('one\ntwo\n')
})

test.each([
  ['in one piece', (text: string) => [text]],
  ['in small pieces', (text: string) => text.match(/.{1,1000}/gs)!],
])('a long output that came %s keeps its beginning and its end and tells what is missing', (_how, split) => {
  const text = excerptOf(...split(`first${'x'.repeat(5_000_000)}last`)).text()
  const [, missing] = /\n… \((\d+) bytes left out\) …\n/.exec(text)!
  expect(text.startsWith('first')).toBe(true)
  expect(text.endsWith('last')).toBe(true)
  expect(text.length - `\n… (${missing} bytes left out) …\n`.length + Number(missing)).toBe(5_000_009)
  expect(text.length).toBeLessThan(MODEL_BYTES + 100)
})

test.each([0, 1, 2, 3])('no character is cut in two, wherever the cut falls (%d)', (offset) => {
  const text = excerptOf(`${'a'.repeat(offset)}${'汉'.repeat(50_000)}${'😀'.repeat(50_000)}`).text()
  expect(text).not.toContain('�')
})

test('what fits whole can be had whole, and nothing half is called whole', () => {
  expect(excerptOf('x'.repeat(500_000)).whole()).toHaveLength(500_000)
  expect(excerptOf('x'.repeat(2_000_000)).whole()).toBeUndefined()
})
