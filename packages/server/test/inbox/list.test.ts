import type { SeenMarks, SessionPage } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { sharedWorld, STORES, World } from '../wire/world.ts'

const SEEN = '/api/user/preferences/seen'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const list = async (query: string, token?: string) =>
    (await world().rest<SessionPage>('GET', `/api/sessions${query}`, token === undefined ? {} : { token })).body

  test('[W11.2] renaming and pinning move no session: its time stays', async () => {
    world().learn({ hello: [{ text: 'Hi' }] })
    await using chat = await world().chat()
    await chat.run('hello')
    const { updated_at } = await chat.session()
    const at = `/api/sessions/${chat.session_id}`
    await world().rest('PATCH', at, { body: { intent: 'another name' } })
    await world().rest('PATCH', `${at}/pin`, { body: { pinned: true } })
    await world().rest('PATCH', `${at}/pin`, { body: { pinned: false } })
    expect(await chat.session()).toMatchObject({ intent: 'another name', updated_at })
    const isRenamed = ({ name, payload }: { name: string; payload: Record<string, unknown> }) =>
      name === 'session:updated' && payload['intent'] === 'another name'
    expect((await chat.until(isRenamed)).payload).toMatchObject({ updated_at })
  })

  test('[W11.2] pages by cursor show each session once, also when some move to the top meanwhile', async () => {
    await using own = await World.open(store)
    own.otherwise(() => ({ text: 'Hi' }))
    const ids: string[] = []
    for (let at = 0; at < 7; at++) ids.push(await own.newSession({ intent: `session ${at}` }))
    await own.rest('PATCH', `/api/sessions/${ids[1]}/pin`, { body: { pinned: true } })
    const page = async (before?: string) => {
      const query = `?limit=3${before === undefined ? '' : `&before=${encodeURIComponent(before)}`}`
      return (await own.rest<SessionPage>('GET', `/api/sessions${query}`)).body
    }
    const first = await page()
    expect(first.items[0]!.id).toBe(ids[1])
    expect(first).toMatchObject({ total: 7, next: expect.any(String) })
    // One that was not read yet goes to the top: nobody slips past, or is read twice.
    const rest = ids.filter((id) => !first.items.some((one) => one.id === id))
    const since = (await own.session(ids[6]!)).updated_at
    await using chat = await own.chat({ session_id: rest[0]! })
    await chat.run('wake up')
    const second = await page(first.next!)
    const third = second.next === null ? { items: [], next: null } : await page(second.next)
    expect(third.next).toBe(null)
    const seen = [...first.items, ...second.items, ...third.items].map(({ id }) => id)
    expect(new Set(seen).size).toBe(seen.length)
    expect(ids.filter((id) => !seen.includes(id))).toEqual([rest[0]])
    const changed = await own.rest<SessionPage>('GET', `/api/sessions?changed_since=${encodeURIComponent(since)}`)
    expect(changed.body.items.map(({ id }) => id)).toEqual([rest[0]])
    for (const query of ['before=odd', 'before=0,x', 'changed_since=today'])
      expect((await own.rest('GET', `/api/sessions?${query}`)).status).toBe(422)
  })

  test('[W12.8] of two marks the one further on counts; only of sessions of one’s own, and never beyond their end', async () => {
    world().learn({ 'see this': [{ text: 'Seen' }] })
    await using chat = await world().chat()
    await chat.run('see this')
    const { session_id } = chat
    const { last_event_seq: head } = await chat.session()
    const mark = async (seq: number, token?: string) =>
      (await world().rest<SeenMarks>('PUT', SEEN, { body: { seen: { [session_id]: seq } }, ...(token && { token }) }))
        .body
    expect(await mark(2)).toEqual({ seen: { [session_id]: 2 } })
    const both = await Promise.all([mark(3), mark(1), mark(3)])
    expect(both.every(({ seen }) => seen[session_id]! >= 2)).toBe(true)
    expect((await world().rest<SeenMarks>('GET', SEEN)).body.seen[session_id]).toBe(3)
    expect(await mark(1_000_000)).toEqual({ seen: { [session_id]: head } })
    expect(await mark(1, world().strangersKey)).toEqual({ seen: {} })
    expect((await world().rest('GET', SEEN, { token: world().strangersKey })).body).toEqual({ seen: {} })
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`sess_${at}`, 1]))
    expect((await world().rest('PUT', SEEN, { body: { seen: many } })).status).toBe(422)
    expect((await world().rest('PUT', SEEN, { body: { value: 'x' } })).status).toBe(422)
    await world().rest('DELETE', `/api/sessions/${session_id}`)
    expect((await world().rest<SeenMarks>('GET', SEEN)).body.seen).not.toHaveProperty(session_id)
    expect(await list('?limit=1')).toHaveProperty('next')
  })
})
