import type { AuditPage, CreatedApiKey } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { join } from '../auth/people.ts'
import { askDatabase } from '../wire/beside.ts'
import { sharedWorld, STORES } from '../wire/world.ts'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const audit = async (query = '') => {
    const { status, body } = await world().rest<AuditPage>('GET', `/api/audit${query}`)
    expect([status, body]).toMatchObject([200, {}])
    return body
  }

  test('[W11.7] owners read who did what, page by page and each row once, the newest first', async () => {
    const { key: token, id } = await join(world(), 'alice')
    const made: string[] = []
    for (let n = 0; n < 5; n++) {
      const { body } = await world().rest<CreatedApiKey>('POST', '/api/user/api-keys', {
        token,
        body: { name: `k${n}` },
      })
      made.push(body.key.id)
    }
    await world().rest('DELETE', `/api/user/api-keys/${made[0]}`, { token })
    const pages: AuditPage[] = []
    for (let before: string | null = ''; before !== null; before = pages.at(-1)!.next_before)
      pages.push(await audit(`?actor=${id}&action=api_key.&limit=2${before && `&before=${before}`}`))
    const rows = pages.flatMap(({ items }) => items)
    expect(rows[0]).toMatchObject({ action: 'api_key.revoke', subject: made[0], actor: id, actor_name: 'alice' })
    expect(rows.slice(1, 6).map(({ subject }) => subject)).toEqual(made.toReversed())
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length)
    expect((await audit(`?subject=${made[0]}`)).items.map(({ action }) => action)).toEqual([
      'api_key.revoke',
      'api_key.create',
    ])
    expect((await audit(`?actor=${id}&action=api_key.revoke`)).items).toHaveLength(1)
    expect((await audit(`?actor=${id}&to=2020-01-01T00:00:00Z`)).items).toEqual([])
    expect((await audit(`?actor=${id}&from=2020-01-01T00:00:00Z&limit=1`)).items).toHaveLength(1)
  })

  test('[W11.7] what happened in a session of the reader’s leads there while it is there, a decision to its run', async () => {
    const decided = async (token?: string) => {
      const question = `fetch for ${token ?? 'me'}`
      const call = { name: 'WebFetch', arguments: { url: 'https://strange.test/a' } }
      world().learn({ [question]: [{ calls: [call] }, { text: 'Done' }] })
      const session_id = await world().newSession({}, token)
      const chat = await world().chat({ session_id, ...(token && { token }) })
      const { ack } = await chat.run(question)
      return { chat, run_id: ack.run_id }
    }
    const own = await decided()
    await using _own = own.chat
    const { key: token, id } = await join(world(), 'placed')
    const foreign = await decided(token)
    await using _foreign = foreign.chat
    const asked = '?action=confirmation.request&limit=200'
    const { items } = await audit(asked)
    const [theirs] = items.filter(({ actor }) => actor === id)
    expect(theirs).toMatchObject({ session_id: null, run_id: null })
    const place = { session_id: own.chat.session_id, run_id: own.run_id }
    expect(items.filter(({ session_id }) => session_id === place.session_id)).toMatchObject([place])
    await world().rest('DELETE', `/api/sessions/${place.session_id}`)
    expect(JSON.stringify(await audit(asked))).not.toContain(place.session_id)
  })

  test('[W11.7] the audit log is for owners alone', async () => {
    const { key: token } = await join(world(), 'mallory')
    expect((await world().rest('GET', '/api/audit', { token })).status).toBe(403)
    expect((await world().rest('GET', '/api/audit', { token: null })).status).toBe(401)
    const guest = await world().rest<{ token: string }>('POST', '/api/auth/tokens', { body: { subject: 'g' } })
    expect((await world().rest('GET', '/api/audit', { token: guest.body.token })).status).toBe(403)
  })

  test('[W11.7] what cannot be meant is refused by its name, and what looks like a pattern is none', async () => {
    for (const [query, name] of [
      ['?before=1', 'before'],
      ['?limit=0', 'limit'],
      ['?limit=201', 'limit'],
      ['?from=today', 'from'],
      ['?who=me', 'who'],
    ] as const) {
      const { status, body } = await world().rest('GET', `/api/audit${query}`)
      expect([query, status, JSON.stringify(body)]).toEqual([query, 422, expect.stringContaining(name)])
    }
    expect((await audit('?action=%25')).items).toEqual([])
    expect((await audit('?action=user_.')).items).toEqual([])
    const [{ n }] = (await askDatabase(world(), 'SELECT count(*) AS n FROM audit')) as [{ n: unknown }]
    expect((await audit('?limit=200')).items).toHaveLength(Math.min(200, Number(n)))
  })
})
