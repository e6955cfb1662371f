import { textOf, thinkingOf, type PatchEnvelope, type TurnProjection } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import type { Received } from '../face/client.ts'
import { endOf } from './chat.ts'
import { sharedWorld, STORES } from './world.ts'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  test('[W10.1] [WR-7] [WR-8] a plain answer is exactly this trace', async () => {
    world().learn({ 'capital of France?': [{ text: 'The capital is Paris.', chunkDelayMs: 15 }] })
    await using chat = await world().chat()
    const run = await chat.run('capital of France?')
    expect(run.trace).toEqual([
      'chat:start',
      'turn:start T0 user completed',
      'turn:end T0 completed',
      'turn:start T1 assistant streaming',
      'T1 text: The capital is Paris.',
      'turn:end T1 completed',
      'chat:end completed/completed',
    ])
    expect(run.end).toMatchObject({
      status: 'completed',
      result: null,
      finish_reason: 'completed',
      run_id: run.ack.run_id,
      pause_tool: null,
      pause_tool_data: null,
      error: null,
    })
    const [user] = await chat.messages()
    expect(user).toMatchObject({ role: 'user', blocks: [{ type: 'text', content: 'capital of France?' }], model: null })
  })

  test('[W17.2] increments, the end of the turn and REST agree letter by letter', async () => {
    const text = 'Grüße, 你好 🌍 — a\nb\t"c" \\ '.repeat(40)
    world().learn({ letters: [{ text, chunkChars: 3, chunkDelayMs: 1 }] })
    await using chat = await world().chat()
    const run = await chat.run('letters')
    const patches = patchesOf(run.events)
    expect(patches.map(({ sequence }) => sequence)).toEqual(patches.map((_, index) => index + 1))
    let soFar = ''
    for (const { data } of patches) {
      const { text_delta, content } = data as { text_delta: string; content?: string }
      expect(text_delta).not.toBe('')
      soFar += text_delta
      if (content !== undefined) expect(content).toBe(soFar)
    }
    expect(soFar).toBe(text)
    expect(textOf(endOf(run, -1))).toBe(text)
    expect(textOf((await chat.messages())[1]!)).toBe(text)
  })

  test('[W6] [WR-9] turn:end is the whole turn, as REST has it, and event_seq grows', async () => {
    world().learn({ whole: [{ text: 'All of it.' }] })
    await using chat = await world().chat()
    const run = await chat.run('whole')
    const {
      event_seq: _seq,
      session_id,
      solution_id,
      template_id,
      ...ended
    } = endOf(run, -1) as never as Record<string, unknown>
    expect([session_id, solution_id, template_id]).toEqual([chat.session_id, null, null])
    expect((await chat.messages())[1]).toEqual(ended)
    const numbers = run.events.map(({ payload }) => payload['event_seq'] as number)
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    expect(new Set(numbers).size).toBe(numbers.length)
    expect((await chat.session()).last_event_seq).toBe(numbers.at(-1))
  })

  test('[W10.1] reasoning comes first and forms a block of its own', async () => {
    world().learn({ think: [{ thinking: 'Let me see.', text: 'Four.' }] })
    await using chat = await world().chat()
    const run = await chat.run('think')
    expect(run.trace.slice(3, -1)).toEqual([
      'turn:start T1 assistant streaming',
      'T1 thinking: Let me see.',
      'T1 text: Four.',
      'turn:end T1 completed',
    ])
    const turn = (await chat.messages())[1]!
    expect([thinkingOf(turn), textOf(turn)]).toEqual(['Let me see.', 'Four.'])
  })

  test('[W2.5] [WR-38] in the moment of chat:end everything is readable over REST and the session is free', async () => {
    world().learn({ first: [{ text: 'one' }], second: [{ text: 'two' }] })
    await using chat = await world().chat()
    const atEnd = new Promise<{ turns: TurnProjection[]; status: string; ack: { status: string } }>(
      (resolve, reject) => {
        chat.client.socket.once('chat:end', () => {
          Promise.all([chat.messages(), chat.session(), chat.send('second')])
            .then(([turns, session, ack]) => resolve({ turns, status: session.status, ack }))
            .catch(reject)
        })
      },
    )
    await chat.send('first')
    const { turns, ack } = await atEnd
    expect(turns.slice(0, 2).map(({ status, role }) => `${role} ${status}`)).toEqual([
      'user completed',
      'assistant completed',
    ])
    expect(textOf(turns[1]!)).toBe('one')
    expect(ack).toMatchObject({ status: 'ok' })
    await chat.ended(ack as never)
  })

  test('[W10.1] [WR-55] the title comes after chat:end, once, to subscribers only', async () => {
    world().learn({ 'name me, please': [{ text: 'Named.' }], 'name me again': [{ text: 'Not again.' }] })
    await using chat = await world().chat()
    await using other = await world().chat()
    const { events } = await chat.run('name me, please')
    const titled = events.filter(({ name, payload }) => name === 'session:updated' && payload['intent'] !== undefined)
    expect(titled.map(({ payload }) => payload['intent'])).toEqual(['name me, please'])
    expect(events.indexOf(titled[0]!)).toBeGreaterThan(events.findIndex(({ name }) => name === 'chat:end'))
    expect((await chat.session()).intent).toBe('name me, please')
    const again = await chat.run('name me again')
    expect(again.events.filter(({ payload }) => payload['intent'] !== undefined)).toEqual([])
    expect(other.received).toEqual([])
  })

  test('[W5.3] the same client_message_id starts nothing and gets the first acknowledgement', async () => {
    world().learn({ 'only once': [{ text: 'Once.' }] })
    await using chat = await world().chat()
    const { ack } = await chat.run('only once', { client_message_id: 'm1' })
    expect(await chat.send('only once', { client_message_id: 'm1' })).toEqual(ack)
    // Its sender knows it again, whatever it says.
    expect((await chat.messages()).map((turn) => turn.client_message_id)).toEqual(['m1', undefined])
    expect(await chat.send('something else', { client_message_id: 'm1' })).toMatchObject({ code: 'invalid_payload' })
    expect(await chat.messages()).toHaveLength(2)
    expect(world().requests('only once')).toHaveLength(1)
  })

  test('[W5.3] [WR-16] text parts are text; a file lies in the workspace, and the turn has its parts without the bytes', async () => {
    const question = 'what is in it?[The user attached the file uploads/note.txt]'
    world().learn({ [question]: [{ text: 'A note.' }] })
    await using chat = await world().chat()
    const data = Buffer.from('the secret content').toString('base64')
    await chat.run([
      { type: 'text', text: 'what is in it?' },
      { type: 'file', name: 'note.txt', data },
    ])
    const [user] = await chat.messages()
    expect(user!.blocks).toMatchObject([{ type: 'text', content: 'what is in it?' }])
    expect(user!.content_parts).toMatchObject([
      { type: 'text', text: 'what is in it?' },
      { type: 'file', name: 'note.txt' },
    ])
    expect(JSON.stringify(user)).not.toContain(data)
  })
})

function patchesOf(events: readonly Received[]): PatchEnvelope[] {
  return events.filter(({ name }) => name === 'turn:patch').map(({ payload }) => payload as unknown as PatchEnvelope)
}
