import { once } from 'node:events'
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { createAccess } from '../../src/http/access.ts'
import { createApp } from '../../src/http/app.ts'
import { type Face, openFace } from './face.ts'

// What people who have not said who they are may do to those who have.

const LONG = 'x'.repeat(40)

async function signIn(face: Face, code: string, headers: Record<string, string> = {}): Promise<number> {
  return (await face.request('GET', `/api/auth/login?code=${code}`, { token: null, headers })).status
}

test('whatever other sites and strangers try, a sign-in link works', async () => {
  await using face = await openFace({ authFailures: 3 })
  const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }
  for (let count = 0; count < 20; count++) expect(await signIn(face, `guess${count}`, image)).toBe(403)
  const tries: number[] = []
  for (let count = 0; count < 10; count++) tries.push(await signIn(face, `${LONG}${count}`))
  expect(tries).toEqual([401, 401, 401, 429, 429, 429, 429, 429, 429, 429])
  const code = await face.auth.newSignInCode()
  expect(await signIn(face, code, image)).toBe(403)
  const opened = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  expect(await signIn(face, code, opened)).toBe(302)
})

test.each([
  ['iframe', 'cross-site', 403],
  ['script', 'cross-site', 403],
  ['empty', 'cross-site', 403],
  ['image', 'same-site', 403],
  ['empty', 'same-origin', 302],
  ['document', 'none', 302],
])('a sign-in link as %s from %s: %i', async (dest, site, status) => {
  await using face = await openFace()
  const headers = { 'sec-fetch-dest': dest, 'sec-fetch-site': site }
  expect(await signIn(face, await face.auth.newSignInCode(), headers)).toBe(status)
})

test('a code that was never made costs no write', async () => {
  await using face = await openFace()
  const write = vi.spyOn(face.engine, 'write')
  await signIn(face, LONG)
  expect(write).not.toHaveBeenCalled()
})

test('failures of one kind do not count for another: keys, short keys, links, logins', async () => {
  await using face = await openFace({ authFailures: 2 })
  const me = async (headers: Record<string, string>) =>
    (await face.request('GET', '/api/auth/me', { token: null, headers })).status
  const fail = async (headers: Record<string, string>) => [await me(headers), await me(headers), await me(headers)]
  expect(await fail({ cookie: `parley_login=${LONG}.${LONG}` })).toEqual([401, 401, 401])
  expect(await fail({ authorization: `Bearer ${LONG}` })).toEqual([401, 401, 429])
  expect(await fail({ authorization: 'Bearer short' })).toEqual([401, 401, 429])
  expect([await signIn(face, LONG), await signIn(face, 'x'), await signIn(face, 'x')]).toEqual([401, 401, 429])
  const { plaintext } = await face.auth.keys.create(face.auth.owner_id, 'never used before')
  expect(await me({ authorization: `Bearer ${plaintext}` })).toBe(200)
  await using _socket = await face.connect({ token: face.key })
  const login = await face.auth.signIn(await face.auth.newSignInCode())
  expect(await me({ cookie: `parley_login=${login}` })).toBe(200)
})

test('a short key is not even looked at while its address has to wait, unless it was good before', async () => {
  await using face = await openFace({ authFailures: 2 })
  await face.auth.keys.ensureOwnerKey(face.auth.owner_id, 'a short one')
  const me = async (token: string) => (await face.request('GET', '/api/auth/me', { token })).status
  expect([await me('guess 1'), await me('guess 2'), await me('a short one')]).toEqual([401, 401, 429])
  await using other = await openFace({ authFailures: 2 })
  await other.auth.keys.ensureOwnerKey(other.auth.owner_id, 'a short one')
  const again = async (token: string) => (await other.request('GET', '/api/auth/me', { token })).status
  expect([await again('a short one'), await again('g1'), await again('g2'), await again('g3')]).toEqual([
    200, 401, 401, 429,
  ])
  expect(await again('a short one')).toBe(200)
})

/** A websocket by hand: sends frames of any size and kind, whatever a client library would say. */
async function websocket(face: Face, query = ''): Promise<Socket> {
  const { hostname, port, host } = new URL(face.url)
  const socket = connectTcp(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(
    `GET /socket.io/?EIO=4&transport=websocket${query} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toContain(' 101 ')
  return socket
}

/** The head of one text frame of this many bytes; what follows is its content, masked with zeros. */
function frameHead(bytes: number): Buffer {
  const head = Buffer.alloc(14)
  head.writeUInt8(0x81, 0)
  head.writeUInt8(0x80 | 127, 1)
  head.writeBigUInt64BE(BigInt(bytes), 2)
  return head
}

async function gone(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise<void>((resolve) => void socket.once('close', () => resolve()))
}

/** Sends until the other side has had enough; how much it took. */
async function pour(socket: Socket, bytes: number): Promise<number> {
  const closed = gone(socket)
  const piece = Buffer.alloc(16 * 1024, 'x')
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += piece.length)
    if (!socket.write(piece)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
  socket.end()
  await closed
  return socket.bytesWritten
}

test.each([
  ['at once', ''],
  ['as an upgrade', 'sid'],
])('a websocket that has not said who it is sends no more than a greeting, %s', async (_how, upgrade) => {
  await using face = await openFace()
  const query = upgrade === '' ? '' : `&sid=${await pollingId(face)}`
  const socket = await websocket(face, query)
  socket.write(frameHead(19 * 1024 * 1024))
  // What fits into the buffers on the way is all that gets through.
  expect(await pour(socket, 19 * 1024 * 1024)).toBeLessThan(8 * 1024 * 1024)
})

async function pollingId(face: Face): Promise<string> {
  const answer = await face.request('GET', '/socket.io/?EIO=4&transport=polling', { token: null })
  return (JSON.parse((await answer.text()).slice(1)) as { sid: string }).sid
}

test.each([
  ['too long', { 'content-length': String(19 * 1024 * 1024) }],
  ['of no known length', { 'transfer-encoding': 'chunked' }],
])('a poll of somebody unknown that is %s is refused before it is read', async (_what, headers) => {
  await using face = await openFace()
  const sid = await pollingId(face)
  const answer = await rawHead(face, `POST /socket.io/?EIO=4&transport=polling&sid=${sid}`, headers)
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
})

test('many small polls of somebody unknown are too much as well', async () => {
  await using face = await openFace()
  const sid = await pollingId(face)
  const post = () =>
    face.request('POST', `/socket.io/?EIO=4&transport=polling&sid=${sid}`, {
      token: null,
      body: `4${' '.repeat(5_000)}`,
      headers: { 'content-type': 'text/plain' },
    })
  const statuses: number[] = []
  for (let count = 0; count < 5; count++) statuses.push((await post()).status)
  expect(statuses.at(-1)).toBeGreaterThanOrEqual(400)
})

test('somebody known may send what a message may have', async () => {
  await using face = await openFace()
  for (const transports of [['websocket'], ['polling'], ['polling', 'websocket']]) {
    await using client = await face.connect({ transports })
    const message = 'x'.repeat(200_000)
    expect(await client.ask('chat:dance', { message })).toMatchObject({ code: 'not_supported' })
  }
})

test('people at the door take no place inside, and the one who has stood there longest goes first', async () => {
  await using face = await openFace({ maxSockets: 2, maxStrangers: 3 })
  await using _one = await face.connect()
  const strangers: Socket[] = []
  for (let count = 0; count < 5; count++) strangers.push((await websocket(face)).resume())
  await Promise.all(strangers.slice(0, 2).map(gone))
  await using _two = await face.connect()
  await gone(strangers[2]!)
  expect(strangers.slice(3).map(({ closed }) => closed)).toEqual([false, false])
  await expect(face.connect()).rejects.toThrow()
  for (const socket of strangers) socket.destroy()
})

/** Sends a request's head and no body; what comes back until the other side closes. */
async function rawHead(face: Face, line: string, headers: Record<string, string>): Promise<string> {
  const { hostname, port, host } = new URL(face.url)
  const socket = connectTcp(Number(port), hostname)
  const given = Object.entries({ host, connection: 'keep-alive', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  socket.write(`${line} HTTP/1.1\r\n${given.join('\r\n')}\r\n\r\n`)
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
  await once(socket, 'close')
  return answer
}

test.each([
  { how: 'without a credential', path: '/api/sessions', headers: {}, status: 401 },
  { how: 'with a bad one', path: '/api/sessions', headers: { authorization: 'Bearer wrong' }, status: 401 },
  { how: 'where nothing is', path: '/nowhere', headers: {}, status: 413 },
  { how: 'where only reading is allowed', path: '/api/version', headers: {}, status: 413 },
])('a body $how is refused before it is read, and its connection closed', async ({ path, headers, status }) => {
  await using face = await openFace()
  const length = { 'content-type': 'application/json', 'content-length': String(19 * 1024 * 1024) }
  expect(await rawHead(face, `POST ${path}`, { ...headers, ...length })).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
})

test('a compressed body is not unpacked', async () => {
  await using face = await openFace()
  const body = gzipSync(`{"intent":"${'x'.repeat(50_000_000)}"}`)
  const answer = await fetch(`${face.url}/api/sessions`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${face.key}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
  })
  expect(answer.status).toBe(400)
})

test.each([
  ['says nothing at all', ''],
  ['never ends its head', 'GET /api/version HTTP/1.1\r\nHost: localhost\r\nX-Slow: '],
  ['never ends its body', 'POST /api/version HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx'],
])('a connection that %s is closed', async (_how, words) => {
  const times = { headersMs: 100, requestMs: 200, lookMs: 20 }
  await using parts = new AsyncDisposableStack()
  const app = createApp(pino({ level: 'silent' }), createAccess({ publicUrl: undefined, allowedOrigins: [] }), {
    times,
  })
  parts.defer(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connectTcp((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.resume().write(words)
  await gone(socket)
})
