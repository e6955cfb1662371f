import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { textOf } from '@parley/protocol'
import { startFakeModel } from '@parley/testkit'
import { expect, test } from 'vitest'
import type { ParleyClient } from '../../../client/src/index.ts'
import { postgresPlace } from '../store/place.ts'
import { World } from '../wire/world.ts'
import { CRASH, HEADERS, startDemo } from './demo.ts'
import { json, newHome } from './home.ts'

const LONG = 'Write a long answer with headings, a table and code'

test('[W12.14] the server is killed in the middle of an answer, and the same client sees the answer go on to its end', async () => {
  await using home = await newHome()
  await using demo = await startDemo(home.path)
  using session = await demo.client.sessions.create()
  await session.ready()
  const notified: string[] = []
  session.on('system:notification', ({ notification_type }) => notified.push(notification_type))
  await session.send(LONG)
  const before = await textGrows(session)
  const { pid } = await demo.possibility()
  const crashed = await demo.crash()
  expect(crashed).toMatchObject({ status: 202, body: { pid, killed_at: expect.any(String) } })
  await demo.supervisor.line(/it died of SIGKILL/)
  await expect.poll(() => session.getState().isStreaming, { timeout: 60_000 }).toBe(false)

  const { turns, status } = session.getState()
  expect(status).toBe('completed')
  expect(notified).toEqual(['run:recovered'])
  expect(turns.map((turn) => [turn.role, turn.status, turn.failure_reason])).toEqual([
    ['user', 'completed', null],
    ['assistant', 'interrupted', 'server_stopped'],
    ['assistant', 'completed', null],
  ])
  expect(textOf(turns[1]!).startsWith(before)).toBe(true)
  expect(textOf(turns[2]!)).toMatch(/\*\*It ends here\*\*, with a full stop\.$/)
  expect(textOf(turns[2]!).startsWith(textOf(turns[1]!))).toBe(true)
  const stored = await demo.client.sessions.getSessionTurns(session.id)
  expect(stored).toEqual(turns)
  expect(auditIn(home.path)).toEqual(['server.crash'])
  expect((await demo.possibility()).pid).not.toBe(pid)
})

test(
  '[W12.14] an answer is crashed three times in a row and ends well; a fourth crash is refused, and so is a fifth start',
  { timeout: 180_000 },
  async () => {
    await using home = await newHome()
    await using demo = await startDemo(home.path, { pace: { waitsMs: [0, 0, 0, 0, 0, 0], steadyMs: 3_600_000 } })
    using session = await demo.client.sessions.create()
    await session.ready()
    await session.send('Answer slowly, so that I can stop you')
    for (const count of [1, 2, 3]) {
      await expect.poll(async () => (await demo.possibility())?.is_possible, { timeout: 30_000 }).toBe(true)
      expect((await demo.crash()).status).toBe(202)
      await expect.poll(() => demo.supervisor.lines.join('\n').match(/The server is back/g)).toHaveLength(count)
    }
    await expect.poll(async () => (await demo.possibility())?.runs, { timeout: 30_000 }).toHaveLength(1)
    expect(await demo.crash()).toMatchObject({
      status: 409,
      body: { code: 'session_busy', detail: expect.stringMatching(/survived 3 crashes in a row/) },
    })
    await expect.poll(() => session.getState().isStreaming, { timeout: 60_000 }).toBe(false)
    expect(session.getState().status).toBe('completed')

    await session.send(LONG)
    expect((await demo.crash()).status).toBe(202)
    await expect.poll(async () => (await demo.possibility())?.runs, { timeout: 30_000 }).toHaveLength(1)
    expect(await demo.crash()).toMatchObject({
      status: 429,
      body: {
        code: 'rate_limited',
        detail: expect.stringMatching(/4 times in a row/),
        retry_after: expect.any(Number),
      },
    })
    await expect.poll(() => session.getState().isStreaming, { timeout: 60_000 }).toBe(false)
  },
)

test('[W12.14] nothing is crashed while no answer is under way', async () => {
  await using home = await newHome()
  await using demo = await startDemo(home.path)
  expect(await demo.possibility()).toMatchObject({ is_possible: false, code: 'not_running', runs: [] })
  expect(await demo.crash()).toMatchObject({ status: 409, body: { code: 'not_running' } })
  const zh = await fetch(demo.url + CRASH, { headers: { ...HEADERS, 'accept-language': 'zh' } })
  expect(await zh.json()).toMatchObject({ reason: expect.stringMatching(/没有正在进行的演示回答/) })
  expect(await json(`${demo.url}/api/health`)).toEqual({ status: 'ok' })
  expect(auditIn(home.path)).toEqual([])
})

test('[W12.14] nothing is crashed where a real model is', async () => {
  await using home = await newHome()
  await using provider = await startFakeModel(() => ({ text: 'Hi' }))
  await using demo = await startDemo(home.path, { env: { PARLEY_MODEL_URL: provider.url, PARLEY_MODEL: 'm' } })
  expect(await demo.crash()).toMatchObject({ status: 404, body: { detail: expect.stringMatching(/real model/) } })
})

test('[W12.14] nothing is crashed while another model answers too', async () => {
  await using provider = await startFakeModel(() => ({ text: 'Half an answer', hang: 'after' }))
  const real = { id: 'real', provider: 'openai-compatible', url: provider.url, model: 'm' }
  const models = [{ id: 'demo', provider: 'demo', name: 'Demo' }, real]
  await using home = await newHome({ 'parley.config.json': JSON.stringify({ models }) })
  await using demo = await startDemo(home.path)
  using shown = await demo.client.sessions.create()
  await shown.ready()
  await shown.send(LONG)
  await expect.poll(async () => (await demo.possibility()).is_possible).toBe(true)
  using other = await demo.client.sessions.create({ model: 'real' })
  await other.ready()
  await other.send('Hi')
  await expect.poll(() => textOf(other.getState().turns.at(-1)!)).toBe('Half an answer')
  const { pid, ...found } = await demo.possibility()
  expect(found).toMatchObject({
    is_possible: false,
    code: 'session_busy',
    reason: expect.stringMatching(/Another model/),
  })
  expect(await demo.crash()).toMatchObject({
    status: 409,
    body: {
      code: 'session_busy',
      detail: 'Another model is answering, too. Its answer would be interrupted; wait for its end.',
    },
  })
  await other.stop()
  await expect.poll(async () => (await demo.possibility()).is_possible).toBe(true)
  expect((await demo.possibility()).pid).toBe(pid)
})

test('[W12.14] on PostgreSQL, too, the answer goes on: once the dead server’s lease has stood still', async () => {
  await using place = await postgresPlace()
  await using home = await newHome()
  await using demo = await startDemo(home.path, { env: { PARLEY_DATABASE_URL: place.at, PARLEY_LEASE_MS: '3000' } })
  using session = await demo.client.sessions.create()
  await session.ready()
  await session.send(LONG)
  const before = await textGrows(session)
  const { pid } = await demo.possibility()
  expect((await demo.crash()).status).toBe(202)
  await expect.poll(async () => (await demo.possibility())?.pid ?? pid, { timeout: 30_000 }).not.toBe(pid)
  await expect.poll(() => session.getState().isStreaming, { timeout: 60_000 }).toBe(false)
  const { turns, status } = session.getState()
  expect([status, turns.map((turn) => turn.status)]).toEqual(['completed', ['completed', 'interrupted', 'completed']])
  expect(textOf(turns[1]!).startsWith(before)).toBe(true)
  expect(textOf(turns[2]!)).toMatch(/\*\*It ends here\*\*, with a full stop\.$/)
})

const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((one) => one && !one.internal && one.family === 'IPv4')?.address

test.skipIf(!elsewhere)(
  '[W12.14] nothing is crashed from elsewhere, nor by another name than this machine’s own',
  async () => {
    await using home = await newHome()
    await using demo = await startDemo(home.path, { env: { PARLEY_HOST: '0.0.0.0' } })
    const { port } = new URL(demo.url)
    using session = await demo.client.sessions.create()
    await session.ready()
    await session.send(LONG)
    await expect.poll(async () => (await demo.possibility())?.is_possible).toBe(true)
    for (const url of [`http://${elsewhere}:${port}`, `http://0.0.0.0:${port}`])
      for (const method of ['GET', 'POST']) {
        const answer = await fetch(url + CRASH, { method, headers: HEADERS })
        expect([url, method, answer.status]).toEqual([url, method, 403])
        expect(await answer.json()).toMatchObject({ detail: expect.stringMatching(/from the machine it runs on/) })
      }
    expect(await statusOf({ host: elsewhere!, port, name: `localhost:${port}` })).toBe(403)
  },
)

test('[W12.14] a login crashes nothing from a page of somebody else', async () => {
  await using home = await newHome()
  await using demo = await startDemo(home.path)
  const [, link] = await demo.supervisor.line(/(http\S+code=[^"\s]+)/)
  const signedIn = await fetch(link!, { redirect: 'manual' })
  const [cookie] = signedIn.headers.get('set-cookie')!.split(';')
  const statusFrom = async (more: Record<string, string>) =>
    (await fetch(demo.url + CRASH, { method: 'POST', headers: { cookie: cookie!, ...more } })).status
  expect(await statusFrom({})).toBe(403)
  expect(await statusFrom({ 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await statusFrom({ origin: 'https://evil.example' })).toBe(403)
  expect(await statusFrom({ origin: 'http://localhost:5173' })).toBe(401)
  expect(await statusFrom({ origin: demo.url })).toBe(409)
})

const PROXIES = [
  ...['Forwarded', 'Forwarded-For', 'Via', 'X-Real-IP', 'X-Client-IP', 'True-Client-IP', 'X-Cluster-Client-IP'],
  ...['X-Forwarded', 'X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Forwarded-Port'],
  ...['X-Forwarded-Server', 'X-Forwarded-Prefix', 'X-Forwarded-Anything', 'X-Original-URL', 'CF-Connecting-IP'],
]

test('[W12.14] nothing is crashed that nobody would start again, for anybody but the owner, or through a proxy', async () => {
  await using world = await World.open('sqlite')
  for (const method of ['GET', 'POST']) {
    const token = world.strangersKey
    expect(await world.rest(method, CRASH, { token })).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    for (const name of PROXIES)
      expect([name, await world.rest(method, CRASH, { headers: { [name]: '127.0.0.1' } })]).toMatchObject([
        name,
        { status: 403, body: { detail: expect.stringMatching(/not through a proxy/) } },
      ])
  }
  expect(await world.rest('POST', CRASH)).toMatchObject({
    status: 404,
    body: { code: 'not_found', detail: expect.stringMatching(/Nothing would start this server again/) },
  })
  expect(await world.rest('POST', CRASH, { body: { pid: 1 } })).toMatchObject({ status: 422 })
})

/** Asks one address for another's name, which `fetch` does not. */
async function statusOf({ host, port, name }: { host: string; port: string; name: string }): Promise<number> {
  const asked = request({ host, port, path: CRASH, method: 'POST', headers: { ...HEADERS, host: name } }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode!
}

/** What the client shows, as soon as that is more than a few words. */
async function textGrows(session: Awaited<ReturnType<ParleyClient['sessions']['create']>>): Promise<string> {
  const text = () => textOf(session.getState().turns.at(-1)!)
  await expect.poll(() => session.getState().turns.length === 2 && text().length > 300).toBe(true)
  return text()
}

function auditIn(home: string): string[] {
  using database = new DatabaseSync(join(home, 'data/parley.sqlite'), { readOnly: true })
  const rows = database.prepare("SELECT action FROM audit WHERE action LIKE 'server.%'").all()
  return rows.map(({ action }) => String(action))
}
