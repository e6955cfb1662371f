import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { OWNER_KEY, sharedWorld } from '../wire/world.ts'
import { ask, type Frame, newSessionId, textIn } from './sse.ts'

const world = sharedWorld()

test('[S18.12] [S10.9] a reader that does not read slows nobody, and gets all of the text when it does', async () => {
  // More than two sockets hold.
  const text = Array.from({ length: 200_000 }, (_, index) => `第${index}字`).join('')
  world().learn({ 'tell me all': [{ text, chunkChars: 4_000 }] })
  const body = { message: 'tell me all', sessionId: newSessionId(), messageId: 'm1' }
  const { hostname, port } = new URL(world().url)
  const socket = connect(Number(port), hostname).pause()
  const content = JSON.stringify(body)
  socket.write(
    [
      'POST /api/agent/chat/stream HTTP/1.1',
      `Host: ${hostname}:${port}`,
      `Authorization: Bearer ${OWNER_KEY}`,
      'Content-Type: application/json',
      `Content-Length: ${content.length}`,
      '',
      content,
    ].join('\r\n'),
  )
  await world().provider.received(1)
  // Somebody else reads the whole run meanwhile.
  const whole = await ask(world(), body)
  expect(textIn(whole)).toBe(text)
  let received = ''
  const ended = new Promise<void>((resolve) => {
    socket.setEncoding('utf8').on('data', (chunk) => {
      received += String(chunk)
      if (received.includes('event: completed')) resolve()
    })
  })
  socket.resume()
  await ended
  socket.destroy()
  const events = [...received.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Frame)
  expect(textIn(events)).toBe(text)
  expect(world().requests('tell me all')).toHaveLength(1)
})
