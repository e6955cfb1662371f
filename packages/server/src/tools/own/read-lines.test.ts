import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { readLines } from './read-lines.ts'

async function linesOf(...chunks: string[]): Promise<string[]> {
  const stream = new PassThrough()
  const lines: string[] = []
  readLines(stream, (line) => lines.push(line))
  for (const chunk of chunks) {
    stream.write(chunk)
    await new Promise(setImmediate)
  }
  stream.destroy()
  await once(stream, 'close')
  return lines
}

const TRACE = 'Error: boom\n    at run (/a/b.ts:3:4)\n    at call (/c.ts:1:2)\n'

test('[W12.10] a stack trace is one line of the log, what stands around it others', async () => {
  const expected = ['before', TRACE.trimEnd(), 'after']
  expect(await linesOf(`before\n${TRACE}after\n`)).toEqual(expected)
  expect(await linesOf('before\n', TRACE, 'after\n')).toEqual(expected)
  expect(await linesOf(`before\n${TRACE.slice(0, 30)}`, `${TRACE.slice(30)}after`)).toEqual(expected)
})

test('[W12.10] lines that only look like a trace stay lines, and an endless trace ends', async () => {
  expect(await linesOf('    at the beginning\nat once\n  indented\n')).toEqual([
    'at the beginning',
    'at once',
    'indented',
  ])
  const [record, left] = await linesOf(`Error: x\n${'    at f (/a.ts:1:1)\n'.repeat(200)}`)
  expect(record!.split('\n')).toHaveLength(50)
  expect(left).toBe('(151 more lines)')
})
