/** Requests that should never get far, each answered quickly and with a reason; what they are answered is not asked here. */
import { request } from 'node:http'
import { io } from 'socket.io-client'

export type Target = { url: string; key: string }

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const HOSTS = [
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.nip.io',
  '[::1',
  '0',
  '2130706433',
  'a b',
  '',
  '127.0.0.1:1',
]

/** Everything but the model's wire, one after another; returns how many. */
export async function knock({ url, key }: Target): Promise<number> {
  const { hostname, port } = new URL(url)
  const owner = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const knocks: (() => Promise<unknown>)[] = [
    ...HOSTS.map((host) => () => raw({ hostname, port, path: '/api/sessions', headers: { host } })),
    ...HOSTS.map(
      (host) => () => raw({ hostname, port, path: '/api/sessions', headers: { ...owner, origin: `http://${host}` } }),
    ),
    ...[100, 5_000, 500_000].flatMap((depth) =>
      ['/api/sessions', '/api/confirmations/x', '/api/skills', '/api/auth/login'].map(
        (path) => () => raw({ hostname, port, path, method: 'POST', headers: owner }, nested(depth)),
      ),
    ),
    ...Array.from({ length: 40 }, (_, n) => () => raw({ hostname, port, path: `/api/auth/login?code=guess${n}` })),
    ...[1, 20].map(
      (megabytes) => () => raw({ hostname, port, path: '/api/sessions', method: 'POST' }, 'x'.repeat(megabytes * 1e6)),
    ),
    ...Array.from({ length: 10 }, () => () => stranger(url)),
  ]
  for (const one of knocks) await one().catch(() => undefined)
  return knocks.length
}

function raw(options: object, body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({ ...options, timeout: 10_000 }, (reply) => {
      reply.resume().on('close', () => resolve(reply.statusCode ?? 0))
    })
    call.on('timeout', () => call.destroy()).on('error', reject)
    call.end(body)
  })
}

/** A socket without a key that sends twenty megabytes before anybody has asked. */
function stranger(url: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = io(url, { auth: { token: 'x'.repeat(19_000_000) }, transports: ['websocket'], reconnection: false })
    const end = () => {
      socket.close()
      resolve()
    }
    socket.on('connect_error', end).on('disconnect', end).on('connect', end)
    setTimeout(end, 10_000)
  })
}
