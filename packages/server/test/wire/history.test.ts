import type { SessionHistory } from '@parley/protocol/rest'
import { sessionHistorySchema } from '@parley/protocol/schemas'
import { describe, expect, test } from 'vitest'
import { agentCall, sharedWorld, STORES } from './world.ts'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const historyOf = (session_id: string) => world().rest<SessionHistory>('GET', `/api/sessions/${session_id}/history`)

  test('[W12.2] [W14.1] the history is what the model gets: message by message, each after the one before', async () => {
    world().learn({
      'look twice': [
        { thinking: 'Hm.', text: 'Let me look.', calls: [{ name: 'Bash', arguments: { command: 'ls' } }] },
        { text: 'Done.' },
      ],
      'and then?': [{ text: 'Nothing.' }],
    })
    await using chat = await world().chat()
    await chat.run('look twice')
    const { status, body } = await historyOf(chat.session_id)
    expect(status).toBe(200)
    expect(sessionHistorySchema.parse(body)).toEqual(body)
    const { nodes } = body
    expect(nodes.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(nodes.map(({ parent_id }) => parent_id)).toEqual([null, ...nodes.slice(0, -1).map(({ id }) => id)])
    const turns = await chat.messages()
    expect(nodes.map(({ turn_id }) => turn_id)).toEqual([0, 1, 1, 2].map((at) => turns[at]!.turn_id))
    expect(nodes[1]).toMatchObject({ loop_id: 'root', deprecated: false, created_at: turns[1]!.started_at })
    expect(nodes[1]!.message).toMatchObject({ content: 'Let me look.', reasoning_content: 'Hm.' })
    expect(body).toMatchObject({ tokenizer_model: 'o200k_base', estimated: true })
    expect(body.system_prompt_tokens).toBeGreaterThan(10)
    expect(body.tools_tokens).toBeGreaterThan(100)

    await chat.run('and then?')
    const sent = world().requests('and then?')[0]!.body['messages'] as { role: string; content: unknown }[]
    const short = ({ role, content, tool_call_id }: Record<string, unknown>) => ({ role, content, tool_call_id })
    const told = (await historyOf(chat.session_id)).body.nodes.slice(0, -1).map(({ message }) => short(message))
    expect(told).toEqual(sent.filter(({ role }) => role !== 'system').map((message) => short(message)))
  })

  test('[W12.2] the messages of a sub-agent hang on the answer that called it', async () => {
    world().learn({
      'ask another': [{ calls: [agentCall('dig here')] }, { text: 'Dug.' }],
      'dig here': [{ text: 'Found.' }],
    })
    await using chat = await world().chat()
    await chat.run('ask another')
    const { nodes } = (await historyOf(chat.session_id)).body
    const caller = nodes.find(({ message }) => JSON.stringify(message).includes('dig here'))!
    const found = nodes.find(({ role, message }) => role === 'assistant' && message['content'] === 'Found.')!
    expect(found).toMatchObject({ role: 'assistant', parent_id: caller.id, loop_id: expect.stringMatching(/^agent:/) })
  })

  test('[W12.2] [D3] the history of a foreign session is 404', async () => {
    const path = `/api/sessions/${await world().newSession()}/history`
    expect((await world().rest('GET', path, { token: world().strangersKey })).status).toBe(404)
    expect((await world().rest('GET', path)).body).toMatchObject({ nodes: [] })
  })
})
