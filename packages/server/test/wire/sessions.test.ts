import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { CORE_TABLES } from '../../src/store/session-rows.ts'
import { askDatabase } from './beside.ts'
import { sharedWorld, STORES } from './world.ts'

/** Every row of 11.2 about one session: what it takes, and what it does not. */
const ROWS: { method: string; tail: string; good: object | undefined; bad: readonly unknown[] }[] = [
  { method: 'GET', tail: '', good: undefined, bad: [] },
  { method: 'PATCH', tail: '', good: { intent: 'new' }, bad: [{ intent: 7 }, { intent: 'a\0b' }, { intent: {} }, []] },
  { method: 'PATCH', tail: '/pin', good: { pinned: true }, bad: [{}, { pinned: 'yes' }, { pinned: null }] },
  { method: 'PATCH', tail: '/memory', good: { memory_enabled: false }, bad: [{}, { memory_enabled: 1 }] },
  { method: 'PATCH', tail: '/sharing', good: { shared: true }, bad: [{}, { shared: 'on' }, { shared: null }] },
  { method: 'DELETE', tail: '', good: undefined, bad: [] },
]

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  test.each(ROWS)(
    '[W11.2] $method …$tail: done for its owner; 401, 404 and 422 change nothing',
    async ({ method, tail, good, bad }) => {
      const id = await world().newSession({ intent: 'old' })
      const path = `/api/sessions/${id}${tail}`
      const before = await world().session(id)
      expect((await world().rest(method, path, { token: null, body: good })).status).toBe(401)
      expect((await world().rest(method, path, { token: world().expiredToken, body: good })).status).toBe(401)
      expect(await world().rest(method, path, { token: world().strangersKey, body: good })).toMatchObject({
        status: 404,
        body: { code: 'session_not_found' },
      })
      expect(await world().rest(method, `/api/sessions/sess_none${tail}`, { body: good })).toMatchObject({
        status: 404,
      })
      for (const body of bad) expect([body, (await world().rest(method, path, { body })).status]).toEqual([body, 422])
      expect(await world().session(id)).toEqual(before)
      expect((await world().rest(method, path, { body: good })).status).toBe(200)
    },
  )

  test('[W11.2] the list is its owner’s: 401 without one, nothing of somebody else’s, also when it is searched', async () => {
    const id = await world().newSession({ intent: 'A walrus of my own' })
    expect((await world().rest('GET', '/api/sessions?q=walrus', { token: null })).status).toBe(401)
    const listed = async (query: string, token?: string) =>
      (
        await world().rest<{ items: Session[]; total: number }>('GET', `/api/sessions${query}`, {
          ...(token && { token }),
        })
      ).body
    expect(await listed('?q=walrus')).toMatchObject({ total: 1, items: [{ id }] })
    expect(await listed('?q=walrus', world().strangersKey)).toMatchObject({ total: 0, items: [] })
    expect((await listed('', world().strangersKey)).items.map((one) => one.id)).not.toContain(id)
    await world().rest('PATCH', `/api/sessions/${id}`, { body: { intent: 'A narwhal now' } })
    expect((await listed('?q=walrus')).total).toBe(0)
    expect((await listed('?q=narwhal')).items.map((one) => one.id)).toEqual([id])
    for (const query of ['?limit=0', '?limit=101', '?offset=-1', '?status=odd'])
      expect((await world().rest('GET', `/api/sessions${query}`)).status).toBe(422)
  })

  test('[W11.2] a deleted session leaves no row, no file, no link and nothing to be found', async () => {
    world().learn({ 'leave a trace of quokkas': [{ text: 'Quokkas seen.' }] })
    const session_id = await world().newSession({ env: { OLD: 'value one' } })
    const path = `/api/sessions/${session_id}`
    await using chat = await world().chat({ session_id })
    await chat.run('leave a trace of quokkas', { runtime_env: { TRACE: 'value two' } })
    await world().rest('PUT', `${path}/env`, { body: { env: { NEW: 'value three' } } })
    await world().rest('PUT', `${path}/files/deep/er/trace.txt`, { body: { content: 'trace' } })
    await world().rest('POST', `${path}/share`, { body: {} })
    const count = async () => {
      const tables = [...CORE_TABLES, 'shares'].map(
        (table) => `SELECT count(*) AS n FROM ${table} WHERE session_id = '${session_id}'`,
      )
      tables.push(`SELECT count(*) AS n FROM search_documents WHERE parent_id = '${session_id}'`)
      const rows = await Promise.all(tables.map(async (sql) => Number((await askDatabase(world(), sql))[0]!['n'])))
      return rows.reduce((sum, n) => sum + n, 0)
    }
    expect(await count()).toBeGreaterThan(10)
    expect(await readdir(join(world().dataDir, 'workspaces'))).toContain(session_id)
    expect((await world().rest('DELETE', path)).body).toEqual({ deleted: true })
    expect(await count()).toBe(0)
    expect(await readdir(join(world().dataDir, 'workspaces'))).not.toContain(session_id)
    expect((await world().rest<{ total: number }>('GET', '/api/sessions?q=quokkas')).body.total).toBe(0)
    expect((await world().rest('DELETE', path)).status).toBe(404)
  })
})
