import type { Confirmation } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { sharedWorld, STORES } from '../wire/world.ts'
import { mint } from './visitors.ts'

const rules = [{ tool: 'Bash', decision: 'ask' as const }]
type Page = { items: Confirmation[]; total: number }

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store, { policy: { rules, headless: 'deny', confirmationMinutes: 15 } })

  /** A call of a visitor that waits for consent. */
  async function waiting(subject: string, question: string, scopes = ['chat']) {
    world().learn({
      [question]: [{ calls: [{ name: 'Bash', arguments: { command: question } }] }, { text: 'So be it.' }],
    })
    const made = await mint(world(), subject, { scopes })
    const session_id = await world().newSession({}, made.token)
    const chat = await world().chat({ token: made.token, session_id })
    await chat.run(question)
    const inbox = await world().rest<Page>('GET', '/api/confirmations?status=pending')
    const item = inbox.body.items.find((one) => one.session_id === session_id)!
    const { body } = await world().rest<{ pending_question: { tool_call_id: string; arguments: object } }>(
      'GET',
      `/api/sessions/${session_id}?subject=${subject}`,
    )
    const answer = (option: number) => ({
      askuser_answer: { tool_call_id: body.pending_question.tool_call_id, selections: { 0: [option] }, custom: {} },
    })
    return { ...made, session_id, chat, item, answer, asked: body.pending_question.arguments }
  }

  test('without decide a visitor cannot consent on any path, and the account can: the run goes on', async () => {
    const { token, subject, session_id, chat, item, answer } = await waiting('anna', 'delete it all')
    await using _chat = chat
    expect(item).toMatchObject({ subject: 'anna', tool_name: 'Bash', status: 'pending' })
    for (const option of [0, 1]) {
      const refused = { code: 'forbidden', detail: { scope: 'decide', confirmation_id: item.id } }
      expect(await chat.send('', answer(option))).toMatchObject(refused)
      const path = `/api/sessions/${session_id}/chat`
      const rest = await world().rest('POST', path, { token, body: { message: '', ...answer(option) } })
      expect([rest.status, rest.body['code']]).toEqual([403, 'forbidden'])
    }
    const own = await world().rest('POST', `/api/confirmations/${item.id}`, { token, body: { decision: 'approve' } })
    expect(own.status).toBe(403)
    expect((await world().rest('GET', '/api/confirmations', { token })).status).toBe(403)

    const from = chat.received.length
    const decided = await world().rest<Confirmation>('POST', `/api/confirmations/${item.id}`, {
      body: { decision: 'approve' },
    })
    const me = await world().rest<{ id: string }>('GET', '/api/auth/me')
    expect([decided.status, decided.body]).toMatchObject([
      200,
      { status: 'approved', subject, decided_by: me.body.id, session_id },
    ])
    await chat.until((event) => event.name === 'chat:end' && chat.received.indexOf(event) >= from, 'the end')
    const text = JSON.stringify(chat.received.slice(from))
    expect(text).toContain('ran delete it all')
    expect(text).toContain('So be it.')
    const late = await world().rest('POST', `/api/confirmations/${item.id}`, { body: { decision: 'reject' } })
    expect([late.status, late.body['decided_by']]).toEqual([409, me.body.id])
  })

  test('whoever may not decide is told so, wherever the question is read; the others hear nothing of it', async () => {
    const { chat, token, session_id, asked } = await waiting('dora', 'may it')
    await using _chat = chat
    expect(asked).toMatchObject({ confirmation: { tool_name: 'Bash' } })
    expect(asked).not.toMatchObject({ confirmation: { may_decide: false } })
    const { body } = await world().rest('GET', `/api/sessions/${session_id}`, { token })
    expect(body['pending_question']).toMatchObject({ arguments: { confirmation: { may_decide: false } } })
    for (const text of [
      JSON.stringify((await world().rest('GET', `/api/sessions/${session_id}/messages`, { token })).body),
      JSON.stringify(chat.received.filter(({ name }) => name === 'turn:patch')),
      JSON.stringify(chat.received.filter(({ name }) => name === 'chat:end')),
    ])
      expect(text).toMatch(/may_decide\\*":false/)
    const trusted = await waiting('emil', 'may I', ['chat', 'decide'])
    await using other = trusted.chat
    expect(JSON.stringify(other.received)).not.toContain('may_decide')
  })

  test('the account may change the arguments, or refuse; the visitor is told', async () => {
    const edited = await waiting('ben', 'send 100 euros')
    const refused = await waiting('ben', 'send 200 euros')
    await using first = edited.chat
    await using second = refused.chat
    const from = first.received.length
    await world().rest('POST', `/api/confirmations/${edited.item.id}`, {
      body: { decision: 'approve', edited_arguments: { command: 'send 10 euros' } },
    })
    await first.until((event) => event.name === 'chat:end' && first.received.indexOf(event) >= from, 'the end')
    expect(JSON.stringify(first.received.slice(from))).toContain('ran send 10 euros')
    const after = second.received.length
    await world().rest('POST', `/api/confirmations/${refused.item.id}`, { body: { decision: 'reject' } })
    await second.until((event) => event.name === 'chat:end' && second.received.indexOf(event) >= after, 'the end')
    expect(JSON.stringify(second.received)).not.toContain('ran send 200 euros')
    const mine = await world().rest<Page>('GET', '/api/confirmations?subject=ben')
    expect(mine.body.items.map(({ status }) => status).sort()).toEqual(['approved', 'rejected'])
  })

  test('with decide a visitor decides their own, and nobody else’s', async () => {
    const { chat, answer, item } = await waiting('carla', 'sing', ['chat', 'decide'])
    await using _chat = chat
    const other = await mint(world(), 'dora')
    const foreign = await world().rest('POST', `/api/confirmations/${item.id}`, {
      token: other.token,
      body: { decision: 'approve' },
    })
    expect(foreign.status).toBe(404)
    const stranger = await world().rest('POST', `/api/confirmations/${item.id}`, {
      token: world().strangersKey,
      body: { decision: 'approve' },
    })
    expect(stranger.status).toBe(404)
    const run = await chat.run('', answer(0))
    expect(JSON.stringify(run.events)).toContain('ran sing')
    const again = await world().rest<Confirmation>('GET', '/api/confirmations?subject=carla')
    expect(again.body).toMatchObject({ items: [{ id: item.id, status: 'approved', subject: 'carla' }] })
  })

  test('an ordinary question is the visitor’s to answer, also without decide', async () => {
    const question = {
      questions: [
        { question: 'Which?', header: 'Which', options: [{ label: 'a' }, { label: 'b' }], multiSelect: false },
      ],
    }
    world().learn({
      'ask me': [{ calls: [{ name: 'AskUserQuestion', arguments: question }] }, { text: 'Thank you' }],
    })
    const { token } = await mint(world(), 'eve', { scopes: ['chat'] })
    const session_id = await world().newSession({}, token)
    await using chat = await world().chat({ token, session_id })
    const { end } = await chat.run('ask me')
    const tool_call_id = end.pause_tool_data!.tool_call_id
    const run = await chat.run('', { askuser_answer: { tool_call_id, selections: { 0: [1] }, custom: {} } })
    expect(JSON.stringify(run.events)).toContain('Thank you')
  })
})
