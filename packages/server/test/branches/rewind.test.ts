import { textOf, type TurnProjection } from '@parley/protocol'
import type { CheckedOut, Checkpoint, Rewound, SwitchedBranch } from '@parley/protocol/rest'
import {
  checkedOutSchema,
  checkpointSchema,
  rewoundSchema,
  subscribeOkSchema,
  switchedBranchSchema,
  turnProjectionSchema,
} from '@parley/protocol/schemas'
import { describe, expect, test } from 'vitest'
import type { Chat } from '../wire/chat.ts'
import { askCall, sharedWorld, STORES } from '../wire/world.ts'

describe.each(STORES)('[W12.1] on %s', (store) => {
  const world = sharedWorld(store)
  const of = (chat: Chat, path: string) => `/api/sessions/${chat.session_id}/${path}`
  const checkpoints = async (chat: Chat) => {
    const { body } = await world().rest<Checkpoint[]>('GET', of(chat, 'checkpoints'))
    return body.map((one) => checkpointSchema.parse(one))
  }
  const rewind = (chat: Chat, { checkpoint_id }: Checkpoint) =>
    world().rest<Rewound>('POST', of(chat, 'rewind'), { body: { checkpoint_id } })
  const switchTo = (chat: Chat, { checkpoint_id }: Checkpoint) =>
    world().rest<SwitchedBranch>('POST', of(chat, 'switch-branch'), { body: { checkpoint_id } })
  const texts = (turns: readonly TurnProjection[]) => turns.map(textOf)
  const all = async (chat: Chat) =>
    (await world().rest<TurnProjection[]>('GET', of(chat, 'messages?branches=all'))).body.map((turn) =>
      turnProjectionSchema.parse(turn),
    )
  /** What this client has folded is what the server has. */
  const expectFold = async (chat: Chat) => {
    const { turns, branch } = chat.fold()
    const nameless = (turn: TurnProjection) => ({ ...turn, branch_id: undefined })
    expect(turns.map(nameless)).toEqual((await all(chat)).map(nameless))
    expect(texts(turns.filter(({ deprecated }) => !deprecated))).toEqual(texts(await chat.messages()))
    return branch
  }
  let conversations = 0
  const talked = async (topic: string, count = 3) => {
    const name = `${topic} ${++conversations}`
    const questions = Array.from({ length: 6 }, (_, index) => `${name} question ${index + 1}`)
    world().learn(Object.fromEntries(questions.map((one, index) => [one, [{ text: `${name} answer ${index + 1}` }]])))
    const chat = await world().chat()
    for (const question of questions.slice(0, count)) await chat.run(question)
    return { chat, questions, name }
  }
  const said = (question: string) => JSON.stringify(world().requests(question).at(-1)!.body)

  test('a rewind goes back to before a message; what came after stays on its branch, and can be returned to', async () => {
    const { chat, questions, name } = await talked('rewind')
    await using _chat = chat
    const before = await checkpoints(chat)
    expect(before.map(({ label }) => label)).toEqual(questions.slice(0, 3))
    expect(before.map(({ branch_id, active }) => [branch_id, active])).toEqual(
      Array.from({ length: 3 }, () => ['main', true]),
    )
    const { status, body } = await rewind(chat, before[1]!)
    expect([status, rewoundSchema.parse(body)]).toEqual([
      200,
      {
        session_id: chat.session_id,
        checkpoint_id: before[1]!.checkpoint_id,
        removed_turns: 4,
        branch_id: expect.stringMatching(/^branch_/),
        files_restored: false,
      },
    ])
    expect(texts(await chat.messages())).toEqual([questions[0], `${name} answer 1`])
    await chat.until(({ name, payload }) => name === 'session:updated' && payload['branch'] !== undefined)
    expect(await expectFold(chat)).toMatchObject({ branch_id: body.branch_id })

    await chat.run(questions[3]!)
    expect(said(questions[3]!)).toContain(`${name} answer 1`)
    expect(said(questions[3]!)).not.toContain(`${name} answer 2`)
    const now = await chat.messages()
    expect(now.map(({ sequence }) => sequence)).toEqual([0, 1, 6, 7])
    const every = await all(chat)
    expect(every.map(({ branch_id, deprecated }) => [branch_id, deprecated])).toEqual([
      ...Array.from({ length: 2 }, () => ['main', undefined]),
      ...Array.from({ length: 4 }, () => ['main', true]),
      ...Array.from({ length: 2 }, () => [body.branch_id, undefined]),
    ])
    const after = await checkpoints(chat)
    expect(after.map(({ active }) => active)).toEqual([true, false, false, true])
    // Two messages after the same turn are versions of each other.
    expect(after[3]!.parent_turn_id).toBe(after[1]!.parent_turn_id)
    expect(after[3]!.parent_turn_id).toBe(now[1]!.turn_id)

    const back = await switchTo(chat, after[2]!)
    expect(switchedBranchSchema.parse(back.body)).toEqual({
      session_id: chat.session_id,
      branch_id: 'main',
      turns: 6,
      files_restored: false,
    })
    expect(texts(await chat.messages()).slice(0, 6)).toEqual(
      questions.slice(0, 3).flatMap((question, index) => [question, `${name} answer ${index + 1}`]),
    )
    await chat.run(questions[4]!)
    expect(said(questions[4]!)).toContain(`${name} answer 3`)
    expect(said(questions[4]!)).not.toContain(`${name} answer 4`)
    expect((await chat.messages()).map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4, 5, 8, 9])
    await expectFold(chat)
  })

  test('[W12.1] chat:send.whatif keeps the first turns and goes on from there, with another model or other words', async () => {
    const { chat, questions, name } = await talked('whatif')
    await using _chat = chat
    const [first] = await chat.messages()
    await chat.run(questions[4]!, {
      whatif: {
        from_step: 3,
        quotes: [{ entry_id: first!.id, text: 'words that were cited' }],
        deprecate_entry_ids: [first!.id],
      },
    })
    const [, second, third] = await all(chat)
    expect(texts(await chat.messages())).toEqual([textOf(second!), textOf(third!), questions[4], `${name} answer 5`])
    const sent = said(questions[4]!)
    expect(sent).toContain('words that were cited')
    expect(sent).toContain(questions[1])
    for (const gone of [questions[0], `${name} answer 2`, questions[2]]) expect(sent).not.toContain(`${gone}"`)
    expect((await chat.messages())[2]!.quotes).toEqual([{ entry_id: first!.id, text: 'words that were cited' }])
    await expectFold(chat)
    const updates = chat.received.filter(({ payload }) => payload['branch'] !== undefined)
    expect(updates).toHaveLength(1)
  })

  test('[W12.1] what-if before a message takes its place, also from another branch; where the conversation is now changes nothing', async () => {
    const { chat, questions, name } = await talked('place')
    await using _chat = chat
    const [, , second, , third] = await chat.messages()
    await chat.run(questions[3]!, { whatif: { before_turn_id: second!.turn_id } })
    expect(texts(await chat.messages())).toEqual([questions[0], `${name} answer 1`, questions[3], `${name} answer 4`])
    // The third message lies on the branch that was left.
    await chat.run(questions[4]!, { whatif: { before_turn_id: third!.turn_id } })
    expect(texts(await chat.messages())).toEqual([
      ...[questions[0], `${name} answer 1`, questions[1], `${name} answer 2`],
      ...[questions[4], `${name} answer 5`],
    ])
    expect(said(questions[4]!)).not.toContain(`${name} answer 4`)
    await expectFold(chat)
  })

  test('[W12.1] what-if before a message keeps what its branch has left out', async () => {
    const { chat, questions, name } = await talked('holes')
    await using _chat = chat
    const [first, , second] = await chat.messages()
    await chat.run(questions[3]!, { whatif: { from_step: 4, deprecate_entry_ids: [first!.id] } })
    await chat.run(questions[4]!, { whatif: { before_turn_id: second!.turn_id } })
    expect(texts(await chat.messages())).toEqual([`${name} answer 1`, questions[4], `${name} answer 5`])
  })

  test('[W5.1] [W11.3] whoever subscribes is told the branch, and reads it page by page', async () => {
    const { chat, questions } = await talked('pages')
    await using _chat = chat
    const [first] = await chat.messages()
    const subscribe = async () =>
      subscribeOkSchema.parse(await chat.client.ask('session:subscribe', { session_id: chat.session_id }))
    expect((await subscribe()).branch).toEqual({ branch_id: 'main', path: [{ from: 0, to: null }] })
    await chat.run(questions[3]!, { whatif: { from_step: 2 } })
    expect((await subscribe()).branch).toEqual({
      branch_id: expect.stringMatching(/^branch_/),
      path: [
        { from: 0, to: 1 },
        { from: 6, to: null },
      ],
    })
    const page = async (query: string) =>
      (await world().rest<TurnProjection[]>('GET', of(chat, `messages?${query}`))).body.map(({ sequence }) => sequence)
    expect(await page('before=7&limit=2')).toEqual([1, 6])
    expect(await page('before=6&limit=2')).toEqual([0, 1])
    expect(await page(`before=${first!.sequence}&limit=2`)).toEqual([])
    expect(await page('after=0&before=7')).toEqual([1, 6])
  })

  test('what a what-if left out stays left out when its branch is rewound', async () => {
    const { chat, questions } = await talked('left')
    await using _chat = chat
    const [first] = await chat.messages()
    await chat.run(questions[3]!, { whatif: { from_step: 4, deprecate_entry_ids: [first!.id] } })
    const kept = texts(await chat.messages()).slice(0, 3)
    await rewind(chat, (await checkpoints(chat)).at(-1)!)
    expect(texts(await chat.messages())).toEqual(kept)
    const [, second] = await checkpoints(chat)
    await rewind(chat, second!)
    expect(texts(await chat.messages())).toEqual(kept.slice(0, 1))
  })

  test('what-if at the end of a conversation is an ordinary message', async () => {
    const { chat, questions } = await talked('end', 1)
    await using _chat = chat
    await chat.run(questions[1]!, { whatif: { from_step: 2 } })
    expect((await checkpoints(chat)).map(({ branch_id }) => branch_id)).toEqual(['main', 'main'])
    expect(await chat.messages()).toHaveLength(4)
  })

  test.each([
    ['more turns than there are', { from_step: 9 }],
    ['an entry that is not there', { from_step: 1, deprecate_entry_ids: ['entry_nobody'] }],
    ['a pattern for an entry', { from_step: 1, deprecate_entry_ids: ['entry_%'] }],
    ['no number', { from_step: -1 }],
    ['two places', { from_step: 0, before_turn_id: 'turn_nobody' }],
    ['no place', {}],
    ['a message that is not there', { before_turn_id: 'turn_nobody' }],
  ])('what-if with %s is refused, and nothing is stored', async (_, whatif) => {
    const { chat, questions } = await talked('bad', 1)
    await using _chat = chat
    const { last_event_seq } = await chat.session()
    expect(await chat.send(questions[1]!, { whatif })).toMatchObject({ status: 'error', code: 'invalid_payload' })
    expect((await chat.session()).last_event_seq).toBe(last_event_seq)
    expect(await chat.messages()).toHaveLength(2)
  })

  test('the task list goes where the conversation goes', async () => {
    const { chat, name } = await talked('tasks', 0)
    await using _chat = chat
    const create = (title: string) => ({ calls: [{ name: 'TaskCreate', arguments: { title } }] })
    for (const nth of ['one', 'two', 'three'])
      world().learn({ [`${name} ${nth}`]: [create(`${nth} is to be done`), { text: 'Noted.' }] })
    const tasks = async () =>
      (await world().rest<{ title: string }[]>('GET', of(chat, 'tasks'))).body.map(({ title }) => title)
    for (const nth of ['one', 'two']) await chat.run(`${name} ${nth}`)
    expect(await tasks()).toEqual(['one is to be done', 'two is to be done'])
    const [, second] = await checkpoints(chat)
    await rewind(chat, second!)
    expect(await tasks()).toEqual(['one is to be done'])
    await chat.run(`${name} three`)
    expect(await tasks()).toEqual(['one is to be done', 'three is to be done'])
    await switchTo(chat, second!)
    expect(await tasks()).toEqual(['one is to be done', 'two is to be done'])
    await chat.until(({ name, payload }) => name === 'task:updated' && chat.received.at(-1)!.payload === payload)
    expect(chat.fold().tasks.map(({ title }) => title)).toEqual(await tasks())
    const [first] = await checkpoints(chat)
    await rewind(chat, first!)
    expect(await tasks()).toEqual([])
  })

  test('what waits for a person is withdrawn by a rewind', async () => {
    const { chat } = await talked('waits', 1)
    await using _chat = chat
    world().learn({ 'waits: ask me': [{ calls: [askCall()] }] })
    await chat.run('waits: ask me')
    expect((await chat.session()).status).toBe('waiting_for_input')
    const [, asked] = await checkpoints(chat)
    expect((await rewind(chat, asked!)).status).toBe(200)
    const session = await chat.session()
    expect([session.status, session.pending_question]).toEqual(['interrupted', null])
    expect(await chat.messages()).toHaveLength(2)
    await chat.until(({ payload }) => payload['branch'] !== undefined)
    await expectFold(chat)
    expect(await chat.send('', { askuser_answer: { tool_call_id: 'x', selections: {}, custom: {} } })).toMatchObject({
      status: 'error',
      code: 'ask_not_pending',
    })
  })

  test('[W12.1] checkout shows how it was, before a message or at the end of its turn, and changes nothing', async () => {
    const { chat, questions, name } = await talked('checkout')
    await using _chat = chat
    const [, second] = await checkpoints(chat)
    const { last_event_seq } = await chat.session()
    const look = async (body: object) => {
      const { body: found } = await world().rest<CheckedOut>('POST', of(chat, 'checkout'), {
        body: { checkpoint_id: second!.checkpoint_id, ...body },
      })
      return checkedOutSchema.parse(found)
    }
    expect(texts((await look({})).turns)).toEqual([questions[0], `${name} answer 1`])
    const end = await look({ position: 'turn_end' })
    expect([end.position, texts(end.turns).slice(2)]).toEqual(['turn_end', [questions[1], `${name} answer 2`]])
    expect((await chat.session()).last_event_seq).toBe(last_event_seq)
    expect(await chat.messages()).toHaveLength(6)
  })

  test('[W12.1] while a run is active, or a message waits for a compaction, nothing is changed', async () => {
    const { chat, questions } = await talked('busy', 2)
    await using _chat = chat
    world().learn({ 'busy: slow': [{ text: 'slow', delayMs: 2_000 }] })
    const ack = await chat.send('busy: slow')
    const [, second] = await checkpoints(chat)
    for (const answer of [await rewind(chat, second!), await switchTo(chat, second!)])
      expect([answer.status, (answer.body as Record<string, unknown>)['code']]).toEqual([409, 'session_busy'])
    expect(await chat.send(questions[3]!, { whatif: { from_step: 0 } })).toMatchObject({ code: 'session_busy' })
    await chat.ended(ack)
    expect(await chat.messages()).toHaveLength(6)
  })

  test('a branch on which nothing was said is not kept', async () => {
    const { chat, questions } = await talked('empty')
    await using _chat = chat
    const [first, second, third] = await checkpoints(chat)
    await rewind(chat, third!)
    await rewind(chat, second!)
    await rewind(chat, first!)
    expect(await chat.messages()).toEqual([])
    await chat.run(questions[5]!)
    const ids = new Set((await all(chat)).map(({ branch_id }) => branch_id))
    expect(ids.size).toBe(2)
    expect((await checkpoints(chat)).at(-1)!.parent_turn_id).toBeNull()
    await expectFold(chat)
  })

  test('a compaction on one branch is none on another', async () => {
    const { chat, questions, name } = await talked('compacted')
    await using _chat = chat
    const long = 'word '.repeat(80)
    for (const nth of ['fourth', 'fifth']) {
      world().learn({ [`${name} ${nth} ${long}`]: [{ text: `Heard. ${long}` }] })
      await chat.run(`${name} ${nth} ${long}`)
    }
    world().provider.add({ text: 'A summary of words.' })
    expect((await world().rest('POST', of(chat, 'compact'))).status).toBe(200)
    expect((await chat.messages()).filter(({ archived }) => archived).length).toBeGreaterThan(0)
    await expectFold(chat)
    const [, second] = await checkpoints(chat)
    await rewind(chat, second!)
    expect((await chat.messages()).map(({ archived }) => archived ?? false)).toEqual([false, false])
    await chat.run(questions[3]!)
    expect(said(questions[3]!)).toContain(`${name} answer 1`)
    expect(said(questions[3]!)).not.toContain('A summary of words.')
    await switchTo(chat, second!)
    await chat.run(questions[4]!)
    expect(said(questions[4]!)).toContain('A summary of words.')
    expect(said(questions[4]!)).not.toContain(`${name} answer 1`)
    await expectFold(chat)
  })

  describe.each(['checkpoints', 'rewind', 'checkout', 'switch-branch'])('…/%s', (path) => {
    const method = path === 'checkpoints' ? 'GET' : 'POST'
    const bodyOf = (checkpoint_id: unknown) => (method === 'POST' ? { body: { checkpoint_id } } : {})

    test('without a key is 401, of a foreign session 404, of an unknown checkpoint 404, with nonsense 422', async () => {
      const { chat } = await talked('rules', 1)
      await using _chat = chat
      const [first] = await checkpoints(chat)
      const request = (session_id: string, rest: object) =>
        world().rest(method, `/api/sessions/${session_id}/${path}`, rest)
      const body = bodyOf(first!.checkpoint_id)
      expect((await request(chat.session_id, { ...body, token: null })).status).toBe(401)
      const foreign = await request('sess_nobody', body)
      expect([foreign.status, foreign.body['code']]).toEqual([404, 'session_not_found'])
      if (method === 'GET') return
      for (const checkpoint_id of ['cp_nobody', 'nonsense', `cp_${(await chat.messages())[1]!.turn_id}`])
        expect((await request(chat.session_id, bodyOf(checkpoint_id))).status).toBe(404)
      for (const checkpoint_id of [null, '', 7, 'a\0b'])
        expect((await request(chat.session_id, bodyOf(checkpoint_id))).status).toBe(422)
      expect(await chat.messages()).toHaveLength(2)
    })
  })
})
