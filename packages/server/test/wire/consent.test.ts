import type { Confirmation } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { sharedWorld, STORES } from './world.ts'

const rules = [{ tool: 'Bash', decision: 'ask' as const }]
const bash = (command: string) => ({ name: 'Bash', arguments: { command } })
type Page = { items: Confirmation[]; total: number }

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store, { policy: { rules, headless: 'deny', confirmationMinutes: 15 } })

  /** A call that waits, as its owner sees it. */
  async function waiting(question: string) {
    world().learn({ [question]: [{ calls: [bash(question)] }, { text: 'Done' }] })
    const chat = await world().chat()
    await chat.run(question)
    const { body } = await world().rest<Page>('GET', '/api/confirmations?status=pending')
    return { chat, item: body.items.find(({ session_id }) => session_id === chat.session_id)! }
  }

  test('[owner] a confirmation of somebody else is 404, and in no list', async () => {
    const { chat, item } = await waiting('mine alone')
    await using _chat = chat
    const token = world().strangersKey
    for (const decision of ['approve', 'reject'])
      expect(await world().rest('POST', `/api/confirmations/${item.id}`, { body: { decision }, token })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
    expect((await world().rest<Page>('GET', '/api/confirmations', { token })).body).toEqual({ items: [], total: 0 })
    await using stranger = await world().connect({ token })
    const answer = { session_id: chat.session_id, message: '', askuser_answer: await chat.answerWith() }
    expect(await stranger.ask('chat:send', answer)).toMatchObject({ code: 'session_not_found' })
    const none = await world().rest('POST', '/api/confirmations/conf_none', { body: { decision: 'approve' } })
    expect(none.status).toBe(404)
    expect((await chat.session()).status).toBe('waiting_for_input')
  })

  test('[once] of eight callers who decide at once one is told 200, the others who it was', async () => {
    const { chat, item } = await waiting('eight at once')
    await using _chat = chat
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        world().rest('POST', `/api/confirmations/${item.id}`, {
          body: { decision: index % 2 === 0 ? 'approve' : 'reject' },
        }),
      ),
    )
    const [winner, ...more] = answers.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    const decision = winner!.body['status']
    for (const { status, body } of answers.filter((answer) => answer !== winner)) {
      expect([status, body['code'], body['decision']]).toEqual([409, 'already_decided', decision])
      expect(body).toMatchObject({ decided_at: winner!.body['decided_at'], decided_by: winner!.body['decided_by'] })
    }
  })

  test('the list has what it is asked for', async () => {
    const { chat, item } = await waiting('listed')
    await using _chat = chat
    await world().rest('POST', `/api/confirmations/${item.id}`, { body: { decision: 'reject' } })
    const ids = async (query: string) =>
      (await world().rest<Page>('GET', `/api/confirmations?${query}`)).body.items.map(({ id }) => id)
    expect(await ids('status=rejected&limit=200')).toContain(item.id)
    expect(await ids('status=pending&limit=200')).not.toContain(item.id)
  })

  test('[headless] with deny, a call that asks is refused and the run goes on', async () => {
    world().learn({ 'nobody there': [{ calls: [bash('rm it')] }, { text: 'Then not' }] })
    await using chat = await world().chat()
    const { end } = await chat.run('nobody there', { headless: true })
    expect(end).toMatchObject({ status: 'completed', result: { output: 'Then not' } })
    const [call] = (await chat.messages()).flatMap(({ tool_calls }) => tool_calls)
    expect(call).toMatchObject({ status: 'error', result: expect.stringContaining('needs a person') })
  })
})
