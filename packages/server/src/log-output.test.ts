import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { LogOutput } from './log-output.ts'

test('lines beyond what may wait are lost, and the log says how many once it is read again', async () => {
  const listener = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const stream = connect((listener.address() as { port: number }).port)
  const [reader] = (await once(listener, 'connection')) as [Socket]
  try {
    const output = new LogOutput(Object.assign(stream, { fd: -1 }))
    const line = `${'x'.repeat(1_023)}\n`
    // Twice: the first lot fills the connection and what may wait, the second finds no room.
    for (let i = 0; i < 40_000; i++) output.write(line)
    await output.flush(100)
    for (let i = 0; i < 2_000; i++) output.write(line)
    let text = ''
    reader.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    reader.resume()
    await output.flush(10_000)
    output.write('after\n')
    while (!text.endsWith('after\n')) await once(reader, 'data')
    const lost = [...text.matchAll(/"lost":(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0)
    expect(text.match(/^x+$/gm)!.length + lost).toBe(42_000)
    expect(lost).toBeGreaterThan(35_000)
  } finally {
    stream.destroy()
    reader.destroy()
    listener.close()
  }
})
