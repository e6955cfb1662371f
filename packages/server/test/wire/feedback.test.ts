import type { FeedbackPage, GivenFeedback } from '@parley/protocol/rest'
import type { TurnProjection } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { mint } from '../auth/visitors.ts'
import type { World } from './world.ts'
import { agentCall, sharedWorld, STORES } from './world.ts'

/** A session of its own with one answer. */
async function answered(
  world: World,
  question: string,
): Promise<{ id: string; question: TurnProjection; answer: TurnProjection }> {
  await using chat = await world.chat()
  await chat.run(question)
  const [asked, answer] = await chat.messages()
  return { id: chat.session_id, question: asked!, answer: answer! }
}

const path = (id: string, turn_id: string) => `/api/sessions/${id}/messages/${turn_id}/feedback`

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const give = (at: string, body: unknown, token?: string) =>
    world().rest<GivenFeedback & { detail?: string; code?: string }>('PUT', at, {
      body,
      ...(token && { token }),
    })
  const inSession = async (id: string) =>
    (await world().rest<{ items: GivenFeedback[] }>('GET', `/api/sessions/${id}/feedback`)).body.items

  test('what is thought of an answer is kept, changed and taken back, and read with its session', async () => {
    world().learn({ 'rate me': [{ text: 'An answer.' }] })
    const { id, answer } = await answered(world(), 'rate me')
    expect(await inSession(id)).toEqual([])
    const liked = await give(path(id, answer.turn_id), { value: 'like', comment: '  clear  ' })
    expect(liked.status).toBe(200)
    expect(liked.body).toMatchObject({ session_id: id, turn_id: answer.turn_id, value: 'like', comment: 'clear' })
    expect(await inSession(id)).toEqual([liked.body])
    const disliked = await give(path(id, answer.turn_id), { value: 'dislike' })
    // Replaced as a whole: the comment was about the other value.
    expect(disliked.body).toMatchObject({ value: 'dislike', comment: null })
    expect(disliked.body).toMatchObject({ created_at: (liked.body as { created_at: string }).created_at })
    expect(await inSession(id)).toEqual([disliked.body])
    const taken = await give(path(id, answer.turn_id), { value: null })
    expect(taken.body).toEqual({ session_id: id, turn_id: answer.turn_id, value: null, comment: null })
    expect((await give(path(id, answer.turn_id), { value: null })).status).toBe(200)
    expect(await inSession(id)).toEqual([])
  })

  test('only finished answers take it; everything else is refused by name and kept nowhere', async () => {
    world().learn({ 'rate what': [{ text: 'An answer.' }], 'rate later': [{ text: 'Going on', hang: 'after' }] })
    const { id, question, answer } = await answered(world(), 'rate what')
    expect(await give(path(id, question.turn_id), { value: 'like' })).toMatchObject({
      status: 422,
      body: { code: 'invalid_payload', detail: expect.stringContaining('no answer') },
    })
    for (const turn_id of ['turn_none', 'x'.repeat(90), '%00', encodeURIComponent("' OR 1=1 --")])
      expect(await give(path(id, turn_id), { value: 'like' })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
    const misfits: [body: unknown, named: string][] = [
      [{}, 'value'],
      [{ value: 'love' }, 'value'],
      [{ value: 'like', comment: 'x'.repeat(2_001) }, 'comment'],
      [{ value: 'like', comment: 'a\0b' }, 'comment'],
      [{ value: 'like', comment: ' ' }, 'comment'],
      [{ value: null, comment: 'why' }, 'comment'],
      [{ value: 'like', coment: 'typo' }, 'comment'],
      [[], ''],
    ]
    for (const [body, named] of misfits)
      expect(await give(path(id, answer.turn_id), body)).toMatchObject({
        status: 422,
        body: { detail: expect.stringContaining(named) },
      })
    expect(await inSession(id)).toEqual([])
    await using chat = await world().chat()
    const ack = await chat.send('rate later')
    await chat.told('text: Going on')
    const streaming = (await chat.messages()).at(-1)!
    expect((await give(path(chat.session_id, streaming.turn_id), { value: 'like' })).status).toBe(404)
    await chat.stop()
    await chat.ended(ack)
    expect((await give(path(chat.session_id, streaming.turn_id), { value: 'dislike' })).status).toBe(200)
  })

  test('somebody else’s session is as good as none, to give and to read', async () => {
    world().learn({ 'rate mine': [{ text: 'An answer.' }] })
    const { id, answer } = await answered(world(), 'rate mine')
    await give(path(id, answer.turn_id), { value: 'like' })
    const token = world().strangersKey
    expect(await give(path(id, answer.turn_id), { value: 'dislike' }, token)).toMatchObject({
      status: 404,
      body: { code: 'session_not_found' },
    })
    expect((await world().rest('GET', `/api/sessions/${id}/feedback`, { token })).status).toBe(404)
    for (const query of ['', `?session_id=${id}`])
      expect((await world().rest('GET', `/api/feedback${query}`, { token })).body).toEqual({
        items: [],
        total: 0,
        next_cursor: null,
      })
    expect(await inSession(id)).toMatchObject([{ value: 'like' }])
    expect((await world().rest('PUT', path(id, answer.turn_id), { body: { value: 'like' }, token: null })).status).toBe(
      401,
    )
  })

  test('the account reads all of it page by page, the newest first, each once though something comes meanwhile', async () => {
    world().learn({ 'rate often': [{ text: 'An answer.' }] })
    const all: string[] = []
    for (let n = 0; n < 5; n++) {
      const { id, answer } = await answered(world(), 'rate often')
      await give(path(id, answer.turn_id), { value: n % 2 === 0 ? 'like' : 'dislike', comment: `number ${n}` })
      all.push(id)
    }
    const read = async (query: string) => (await world().rest<FeedbackPage>('GET', `/api/feedback?${query}`)).body
    const first = await read('limit=2')
    expect(first.items.map(({ comment }) => comment)).toEqual(['number 4', 'number 3'])
    const later = await answered(world(), 'rate often')
    await give(path(later.id, later.answer.turn_id), { value: 'like', comment: 'meanwhile' })
    const rest = await read(`limit=200&cursor=${first.next_cursor}`)
    const own = rest.items.filter(({ session_id }) => all.includes(session_id))
    expect(own.map(({ comment }) => comment)).toEqual(['number 2', 'number 1', 'number 0'])
    expect(rest.items.map(({ comment }) => comment)).not.toContain('meanwhile')
    expect(rest.next_cursor).toBeNull()
    const disliked = await read('value=dislike&limit=200')
    expect(disliked.items.every(({ value }) => value === 'dislike')).toBe(true)
    expect(disliked.total).toBe(disliked.items.length)
    expect((await read(`session_id=${all[1]}`)).items).toMatchObject([{ session_id: all[1], comment: 'number 1' }])
    for (const query of ['limit=0', 'limit=201', 'value=love', 'cursor=nonsense', 'sesion_id=x'])
      expect((await world().rest('GET', `/api/feedback?${query}`)).status).toBe(422)
  })

  test('visitors rate their own answers and read nobody’s list; the account reads theirs with their names', async () => {
    world().learn({ 'rate as a guest': [{ text: 'For a guest.' }] })
    const given = []
    for (const subject of ['guest-1', 'guest-2']) {
      const { token } = await mint(world(), subject, { scopes: ['chat'] })
      const id = await world().newSession({}, token)
      await world().rest('POST', `/api/sessions/${id}/chat`, { body: { message: 'rate as a guest' }, token })
      const turns = await world().rest<TurnProjection[]>('GET', `/api/sessions/${id}/messages`, { token })
      const { turn_id } = turns.body.at(-1)!
      const liked = await give(path(id, turn_id), { value: 'like', comment: `by ${subject}` }, token)
      expect(liked.status).toBe(200)
      const seen = await world().rest<{ items: GivenFeedback[] }>('GET', `/api/sessions/${id}/feedback`, { token })
      expect(seen.body.items).toEqual([liked.body])
      expect((await world().rest('GET', '/api/feedback', { token })).status).toBe(403)
      given.push({ id, turn_id, token })
    }
    const [one, two] = given
    // Another visitor's session is as good as none, and so is the account's own way to it without a name.
    expect((await give(path(one!.id, one!.turn_id), { value: 'dislike' }, two!.token)).status).toBe(404)
    expect((await give(path(one!.id, one!.turn_id), { value: 'dislike' })).status).toBe(404)
    const read = async (query: string) => (await world().rest<FeedbackPage>('GET', `/api/feedback?${query}`)).body
    expect((await read('limit=2')).items).toMatchObject([
      { subject: 'guest-2', session_id: two!.id, comment: 'by guest-2', value: 'like' },
      { subject: 'guest-1', session_id: one!.id, comment: 'by guest-1' },
    ])
    expect(await read('subject=guest-1')).toMatchObject({ total: 1, items: [{ subject: 'guest-1' }] })
    expect(await read('subject=nobody')).toMatchObject({ total: 0, items: [] })
    const strangers = await world().rest('GET', '/api/feedback?subject=guest-1', { token: world().strangersKey })
    expect(strangers.body).toMatchObject({ total: 0, items: [] })
    // What people of the account itself say has no such name.
    const { id, answer } = await answered(world(), 'rate mine')
    await give(path(id, answer.turn_id), { value: 'like' })
    expect((await read(`session_id=${id}`)).items[0]).not.toHaveProperty('subject')
  })

  test('[W11.7] a session takes sixty a minute; more are refused with when to come again, told to nobody, and bother no other session', async () => {
    world().learn({ 'rate without end': [{ text: 'An answer.' }] })
    const { id, answer } = await answered(world(), 'rate without end')
    const other = await answered(world(), 'rate without end')
    await using reader = await world().chat({ session_id: id })
    const turn = path(id, answer.turn_id)
    // Whoever may not speak here uses nothing of it up.
    for (let n = 0; n < 70; n++) await give(turn, { value: 'like' }, world().strangersKey)
    const given = await Promise.all(
      Array.from({ length: 90 }, (_, n) => give(turn, { value: 'like', comment: `number ${n}` })),
    )
    const refused = given.filter(({ status }) => status !== 200)
    expect(given.length - refused.length).toBe(60)
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited', retry_after: expect.any(Number) } })
      expect(answer.body.detail).toMatch(/^Feedback in this session was given or changed 60 times within a minute\./)
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    }
    const told = () => reader.received.filter(({ name }) => name === 'feedback:given').length
    await expect.poll(told).toBe(60)
    const zh = await world().rest('PUT', turn, { body: { value: null }, headers: { 'accept-language': 'zh' } })
    expect(zh).toMatchObject({ status: 429, body: { detail: expect.stringMatching(/一分钟内/) } })
    expect((await give(path(other.id, other.answer.turn_id), { value: 'like' })).status).toBe(200)
    expect(await inSession(id)).toMatchObject([{ value: 'like' }])
  })

  test('it goes with its session', async () => {
    world().learn({ 'rate and go': [{ text: 'An answer.' }] })
    const { id, answer } = await answered(world(), 'rate and go')
    await give(path(id, answer.turn_id), { value: 'like' })
    await world().rest('DELETE', `/api/sessions/${id}`)
    expect((await world().rest('GET', `/api/feedback?session_id=${id}`)).body).toMatchObject({ items: [], total: 0 })
    expect((await give(path(id, answer.turn_id), { value: 'like' })).status).toBe(404)
  })

  test('a sub-agent’s answer takes it like any other', async () => {
    world().learn({
      'rate a part': [{ calls: [agentCall('the part')] }, { text: 'Whole.' }],
      'the part': [{ text: 'Part.' }],
    })
    await using chat = await world().chat()
    await chat.run('rate a part')
    const part = (await chat.messages()).find(({ loop_id, role }) => loop_id !== 'root' && role === 'assistant')!
    expect((await give(path(chat.session_id, part.turn_id), { value: 'like' })).status).toBe(200)
  })
})
