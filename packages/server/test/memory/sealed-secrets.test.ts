import type { CompactedSession, Memory, Page } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { sharedWorld, STORES } from '../wire/world.ts'

const MODEL_KEY = 'sk-of-a-model-somebody-added'
const TOOL_SECRET = 'what-calls-of-the-backend-are-signed-with'
const SHOWN = /somebody-added|signed-with/
const LONG = 'word '.repeat(80)

describe.each(STORES)('[D7] what the database keeps sealed, on %s', (store) => {
  const world = sharedWorld(store, { egress: { allow: ['127.0.0.1'] } })

  async function seal(): Promise<void> {
    const { url } = world().provider
    const models = [{ model_id: 'm', support_vision: false, support_thinking: false }]
    const added = { name: 'added', provider: 'openai', base_url: url, api_key: MODEL_KEY, models, is_active: true }
    expect((await world().rest('POST', '/api/models/configs', { body: added })).status).toBeLessThan(300)
    const schema = { type: 'object', properties: {} }
    const tool = { name: 'order', description: 'Orders.', schema, url: 'https://shop.example/', secret: TOOL_SECRET }
    expect((await world().rest('POST', '/api/http-tools', { body: tool })).status).toBe(201)
  }

  test('is in no memory and in no summary, nor in what a summary is made of', async () => {
    await seal()
    await using chat = await world().chat()
    const contents = [`The model takes ${MODEL_KEY}`, `Sign with ${TOOL_SECRET}`]
    const calls = contents.map((content) => ({ name: 'Remember', arguments: { content } }))
    const said = `Keep ${MODEL_KEY} and ${TOOL_SECRET}. ${LONG}`
    world().learn({ [said]: [{ calls }, { text: `Heard. ${LONG}` }], [LONG]: [{ text: `Heard. ${LONG}` }] })
    await chat.run(said)
    const results = (await chat.messages()).flatMap(({ tool_calls }) => tool_calls)
    expect(results).toMatchObject([
      { status: 'error', result: expect.stringContaining('model_configs.added') as unknown },
      { status: 'error', result: expect.stringContaining('http_tools.order') as unknown },
    ])
    for (const content of contents) {
      const posted = await world().rest('POST', '/api/memories', { body: { content } })
      expect(posted).toMatchObject({ status: 422, body: { field: 'content' } })
    }
    const { body: kept } = await world().rest<Memory>('POST', '/api/memories', { body: { content: 'I like tea' } })
    const put = await world().rest('PUT', `/api/memories/${kept.id}`, { body: { content: contents[0] } })
    expect(put.status).toBe(422)
    expect(JSON.stringify((await world().rest<Page<Memory>>('GET', '/api/memories')).body)).not.toMatch(SHOWN)

    await chat.run(LONG)
    await chat.run(`${LONG}!`)
    world().provider.add({ text: `They spoke of ${MODEL_KEY} and ${TOOL_SECRET}.` })
    const path = `/api/sessions/${chat.session_id}/compact`
    const { body } = await world().rest<CompactedSession>('POST', path)
    const [asked] = world().provider.requests.filter(({ question }) => question.includes('<record>'))
    expect(body).toMatchObject({ status: 'ok' })
    expect(body.compaction!.summary_full).toContain('[secret]')
    expect(JSON.stringify([body, asked!.body])).not.toMatch(SHOWN)
  })
})
