import type { Checkpoint, Rewound, SwitchedBranch } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import type { Chat } from '../wire/chat.ts'
import { sharedWorld, STORES } from '../wire/world.ts'

describe.each(STORES)('[W12.1] files on %s', (store) => {
  const world = sharedWorld(store)
  const of = (chat: Chat, path: string) => `/api/sessions/${chat.session_id}/${path}`
  const checkpoints = async (chat: Chat) => (await world().rest<Checkpoint[]>('GET', of(chat, 'checkpoints'))).body
  const post = <T>(chat: Chat, path: string, body: object) => world().rest<T>('POST', of(chat, path), { body })
  const file = async (chat: Chat, name = 'a.txt') => {
    const { status, body } = await world().rest<string>('GET', of(chat, `files/${name}`))
    return status === 200 ? body : status
  }
  const turns = async (chat: Chat) => (await chat.messages()).length
  /** Three messages: the file is written, left alone, and written again. */
  let conversations = 0
  const worked = async () => {
    const name = `files ${++conversations}`
    const write = (content: string) => ({ name: 'Write', arguments: { file_path: 'a.txt', content } })
    world().learn({
      [`${name} first`]: [{ calls: [write('one')] }, { text: 'Written.' }],
      [`${name} second`]: [{ text: 'Nothing to write.' }],
      [`${name} third`]: [{ calls: [write('three')] }, { text: 'Written.' }],
      [`${name} fourth`]: [{ calls: [write('four')] }, { text: 'Written.' }],
    })
    const chat = await world().chat()
    for (const nth of ['first', 'second', 'third']) await chat.run(`${name} ${nth}`)
    return { chat, name }
  }

  test('a rewind puts them back with the conversation, and a switch brings both again', async () => {
    const { chat, name } = await worked()
    await using _chat = chat
    const [, second, third] = await checkpoints(chat)
    expect([await file(chat), await turns(chat)]).toEqual(['three', 8])
    const { status, body } = await post<Rewound>(chat, 'rewind', { checkpoint_id: second!.checkpoint_id })
    expect([status, body]).toEqual([
      200,
      {
        session_id: chat.session_id,
        checkpoint_id: second!.checkpoint_id,
        removed_turns: 5,
        branch_id: expect.stringMatching(/^branch_/),
        files_restored: true,
      },
    ])
    expect([await file(chat), await turns(chat)]).toEqual(['one', 3])
    await chat.until(({ name, payload }) => name === 'workspace:files_changed' && payload['file_path'] === null)
    await chat.until(({ payload }) => payload['branch'] !== undefined)
    // To a reader the session was idle all the while.
    expect(chat.received.filter(({ name }) => name === 'chat:start')).toHaveLength(3)
    expect((await chat.session()).status).toBe('completed')

    await chat.run(`${name} fourth`)
    expect(await file(chat)).toBe('four')
    const back = await post<SwitchedBranch>(chat, 'switch-branch', { checkpoint_id: third!.checkpoint_id })
    expect(back.body).toMatchObject({ branch_id: 'main', turns: 8, files_restored: true })
    expect([await file(chat), await turns(chat)]).toEqual(['three', 8])
    const last = (await checkpoints(chat)).at(-1)!
    await post(chat, 'switch-branch', { checkpoint_id: last.checkpoint_id })
    expect([await file(chat), await turns(chat)]).toEqual(['four', 6])
  })

  test('a file that was not there is gone again; what nobody has changed is left alone', async () => {
    const { chat } = await worked()
    await using _chat = chat
    const [first, second, third] = await checkpoints(chat)
    const rewound = await post<Rewound>(chat, 'rewind', { checkpoint_id: first!.checkpoint_id })
    expect([rewound.body.files_restored, await file(chat), await turns(chat)]).toEqual([true, 404, 0])
    // Back on the branch where it was, as it was left.
    await post(chat, 'switch-branch', { checkpoint_id: second!.checkpoint_id })
    expect([await file(chat), await turns(chat)]).toEqual(['three', 8])
    await post(chat, 'rewind', { checkpoint_id: third!.checkpoint_id })
    expect([await file(chat), await turns(chat)]).toEqual(['one', 5])
  })

  test('the conversation alone, or the files alone', async () => {
    const { chat } = await worked()
    await using _chat = chat
    const [, second] = await checkpoints(chat)
    const { checkpoint_id } = second!
    const files = await post<Rewound>(chat, 'rewind', { checkpoint_id, restore: 'files' })
    expect(files.body).toMatchObject({ files_restored: true })
    expect([await file(chat), await turns(chat)]).toEqual(['one', 8])
    const conversation = await post<Rewound>(chat, 'rewind', { checkpoint_id, restore: 'conversation' })
    expect(conversation.body).toMatchObject({ files_restored: false, removed_turns: 5 })
    expect([await file(chat), await turns(chat)]).toEqual(['one', 3])
    const nonsense = await post(chat, 'rewind', { checkpoint_id, restore: 'nothing' })
    expect(nonsense.status).toBe(422)
  })

  test('where nothing was written there is nothing to put back', async () => {
    world().learn({ [`plain on ${store}`]: [{ text: 'Yes.' }] })
    await using chat = await world().chat()
    await chat.run(`plain on ${store}`)
    const [first] = await checkpoints(chat)
    const { body } = await post<Rewound>(chat, 'rewind', { checkpoint_id: first!.checkpoint_id })
    expect(body).toMatchObject({ files_restored: false, removed_turns: 2 })
    expect(await turns(chat)).toBe(0)
  })

  test('what a person changed between two messages comes back as well', async () => {
    const { chat, name } = await worked()
    await using _chat = chat
    await world().rest('PUT', of(chat, 'files/b.txt'), { body: { content: 'by hand' } })
    await chat.run(`${name} fourth`)
    const all = await checkpoints(chat)
    await post(chat, 'rewind', { checkpoint_id: all[3]!.checkpoint_id })
    expect([await file(chat), await file(chat, 'b.txt')]).toEqual(['three', 'by hand'])
    await post(chat, 'rewind', { checkpoint_id: all[2]!.checkpoint_id })
    expect([await file(chat), await file(chat, 'b.txt')]).toEqual(['one', 404])
  })
})
