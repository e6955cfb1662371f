import { afterAll, describe, expect, test } from 'vitest'
import { cutIntoPassages } from '../../src/knowledge/reading/cut-into-passages.ts'
import { DocumentReader } from '../../src/knowledge/reading/document-reader.ts'
import { formBomb, hostileFiles } from './hostile-files.ts'

const reader = new DocumentReader()
afterAll(() => reader[Symbol.asyncDispose]())
const { signal } = new AbortController()

const GOOD = { name: 'good.md', kind: 'markdown', bytes: Buffer.from('# Refunds\n\nA week.') } as const
const ENDLESS = { name: 'endless.pdf', kind: 'pdf', bytes: formBomb() } as const
const MEBIBYTE = 1024 * 1024

describe('[S15.4] whatever a file is, it harms nobody', () => {
  test.each(hostileFiles())('$what', async ({ what, kind, bytes, refused }) => {
    const name = `${what}.file`
    const found = await busiestTurn(() => reader.read({ name, kind, bytes }, signal).catch((error: unknown) => error))
    expect(found.processorMs).toBeLessThan(100)
    if (refused || found.result instanceof Error) {
      expect(found.result).toMatchObject({ code: expect.stringMatching(/^(invalid_payload|payload_too_large)$/) })
      expect(String(found.result)).toMatch(refused ?? /cannot be read|no text|no PDF/)
      expect(String(found.result)).toContain(name)
    }
    expect(await reader.read(GOOD, signal)).toEqual({ title: 'Refunds', text: '# Refunds\n\nA week.' })
  })
})

describe('limits', () => {
  test('a file of more than 20 MiB is refused at once, and one of 20 MiB does not hold up the server', async () => {
    const large = { name: 'large.html', kind: 'html', bytes: new Uint8Array(200 * MEBIBYTE) } as const
    const refusal = {
      code: 'payload_too_large',
      message: expect.stringMatching(/^large.html has more than 20971520 bytes/),
    }
    const { result, processorMs } = await busiestTurn(() => reader.read(large, signal).catch((error: unknown) => error))
    expect(result).toMatchObject(refusal)
    expect(processorMs).toBeLessThan(100)
    const bytes = Buffer.alloc(20 * MEBIBYTE, '<!-- nothing -->')
    bytes.write('<p>A week.</p>  ')
    const read = await busiestTurn(() => reader.read({ name: 'full.html', kind: 'html', bytes }, signal))
    expect(read.result.text).toBe('A week.')
    expect(read.processorMs).toBeLessThan(100)
  })

  test('what takes longer than it may is refused, and what needs more memory, whoever allocates it', async () => {
    await using hurried = new DocumentReader({ timeLimitMs: 100 })
    await hurried.read(GOOD, signal)
    await expect(hurried.read(ENDLESS, signal)).rejects.toMatchObject({
      code: 'payload_too_large',
      message: expect.stringMatching(/^endless.pdf takes more than 0.1 seconds of processor time, or 512 MB of memory/),
    })
    // A process that reads has a hundred megabytes from PDFium alone.
    await using small = new DocumentReader({ memoryMb: 16 })
    await expect(small.read(ENDLESS, signal)).rejects.toMatchObject({ code: 'payload_too_large' })
  })

  test('a mebibyte of text without any border is read and cut; one character more is refused by name', async () => {
    const bytes = Buffer.alloc(MEBIBYTE, 'x')
    const { text } = await reader.read({ name: 'long.txt', kind: 'text', bytes }, signal)
    expect(text.length).toBe(MEBIBYTE)
    expect(cutIntoPassages(text).at(-1)?.end).toBe(MEBIBYTE)
    const more = { name: 'longer.txt', kind: 'text', bytes: Buffer.alloc(MEBIBYTE + 1, 'x') } as const
    await expect(reader.read(more, signal)).rejects.toMatchObject({
      code: 'payload_too_large',
      message: 'longer.txt has more than 1048576 characters of text. Split it into several files.',
    })
  })

  test('the ninth file that waits is refused, and the others are read', async () => {
    const files = Array.from({ length: 9 }, () => reader.read(GOOD, signal).then(({ title }) => title, String))
    const titles = await Promise.all(files)
    expect(titles.slice(0, 8)).toEqual(Array(8).fill('Refunds'))
    expect(titles[8]).toMatch(/8 files are being read already/)
  })

  test('whoever gives up need not wait, and the next file is read', async () => {
    const controller = new AbortController()
    const endless = reader.read(ENDLESS, controller.signal)
    const behind = reader.read(GOOD, signal)
    const given = reader.read(GOOD, controller.signal)
    controller.abort(new Error('Enough.'))
    await expect(endless).rejects.toThrow('Enough.')
    await expect(given).rejects.toThrow('Enough.')
    expect(await behind).toMatchObject({ title: 'Refunds' })
  })

  test('when the server stops, a file that is being read is not called a bad one', async () => {
    const stopping = new DocumentReader()
    const endless = stopping.read(ENDLESS, signal)
    const outcome = expect(endless).rejects.toMatchObject({ code: 'rate_limited' })
    await stopping[Symbol.asyncDispose]()
    await outcome
    await expect(stopping.read(GOOD, signal)).rejects.toMatchObject({ code: 'rate_limited' })
  })
})

/** The most processor time that this thread took in one go meanwhile: nobody else is served during it. A busy machine does not count. */
async function busiestTurn<T>(work: () => Promise<T>): Promise<{ result: T; processorMs: number }> {
  let most = 0
  let before = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(before)
    most = Math.max(most, (user + system) / 1_000)
    before = process.threadCpuUsage()
  }
  const timer = setInterval(look, 1)
  const result = await work()
  look()
  clearInterval(timer)
  return { result, processorMs: most }
}
