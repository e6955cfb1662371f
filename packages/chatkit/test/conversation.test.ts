import { describe, expect, test, vi } from 'vitest'
import type { ChatAdapter } from '../src/model/chat-adapter.ts'
import { chatKitError } from '../src/model/chat-kit-error.ts'
import { effectiveContext } from '../src/store/chat-state.ts'
import { withUserName } from '../src/store/onboarding.ts'
import { atOnce, openChat, scripted, shape } from './chat.ts'

const tick = () => new Promise((resolve) => setImmediate(resolve))
const user = { name: '', type: 'User', avatar: '' } as const
const past = (id: string) => ({ messageID: id, role: user, content: [{ type: 'Text', content: id }] })

/** A back end with a history of its own. */
function keeping(extra: Partial<ChatAdapter> = {}) {
  const rows = ['a', 'b'].map((id) => ({ conversationID: id, title: id, created_at: 1, updated_at: 1 }))
  const script = scripted({
    history: {
      list: async (_, page, size) => rows.slice((page - 1) * size, page * size),
      load: async (id) => [past(`${id}1`)],
      remove: async (id) =>
        void rows.splice(
          rows.findIndex(({ conversationID }) => conversationID === id),
          1,
        ),
      rename: async () => {},
    },
    ...extra,
  })
  return script
}

describe('[K23.6]', () => {
  test('[K8] create aborts the run, empties the list, resets the context and keeps what is typed', async () => {
    let count = 0
    const terminate = vi.fn<() => Promise<void>>(async () => {})
    const script = keeping({
      createConversation: async () => `cv${(count += 1)}`,
      onboarding: async () => ({ prologue: `Hello ${count}`, predefinedQuestions: ['Q', ' '] }),
      stop: terminate,
    })
    using chat = openChat({ adapter: script.adapter, schedule: atOnce })
    const sent = chat.send('hi', { context: { title: 'T', data: 1 } })
    await tick()
    await script.say({ op: 'text', key: 't', text: 'Half' })
    chat.setTextInput('typed')
    await chat.createConversation()
    await sent
    expect(chat.getSnapshot()).toMatchObject({
      conversationID: 'cv2',
      messages: [],
      status: 'idle',
      textInput: 'typed',
      onboarding: { status: 'ready', info: { predefinedQuestions: ['Q'] } },
    })
    expect(chat.getSnapshot().applicationContext).toBeUndefined()
    expect(script.aborted()).toBe(1)
    expect(terminate).not.toHaveBeenCalled()
  })

  test('[K8] create then send uses the new id, awaited or not', async () => {
    const ids: unknown[] = []
    let count = 0
    const script = scripted({ createConversation: async () => `cv${(count += 1)}` })
    script.adapter.send = async function* ({ conversationID }) {
      ids.push(conversationID)
      yield { op: 'end' }
    }
    using chat = openChat({ adapter: script.adapter })
    await chat.send('one')
    await chat.createConversation()
    await chat.send('two')
    void chat.createConversation()
    await chat.send('three')
    expect(ids).toEqual(['cv1', 'cv2', 'cv3'])
  })

  test('[K8] of two quick creates the last one wins', async () => {
    const first = Promise.withResolvers<string>()
    let count = 0
    const script = scripted({
      createConversation: () => ((count += 1) === 1 ? first.promise : Promise.resolve('second')),
    })
    using chat = openChat({ adapter: script.adapter })
    const both = [chat.createConversation(), chat.createConversation()]
    await both[1]
    first.resolve('first')
    await both[0]
    expect(chat.getSnapshot().conversationID).toBe('second')
  })

  test('[K3.2] create never rejects: the failure is shown and reported', async () => {
    const onError = vi.fn<(error: unknown) => void>()
    const script = scripted({ createConversation: () => Promise.reject(chatKitError('forbidden', 'no')) })
    using chat = openChat({ adapter: script.adapter, onError })
    await chat.createConversation()
    expect(chat.getSnapshot().conversationError).toMatchObject({ code: 'forbidden' })
    expect(onError).toHaveBeenCalledTimes(1)
  })

  test('[K8] loading replaces the conversation at once; a failure keeps the old one', async () => {
    const script = keeping()
    const { load } = script.adapter.history!
    script.adapter.history!.load = (id, io) =>
      id === 'bad' ? Promise.reject(chatKitError('not_found', 'x')) : load(id, io)
    const changes: string[] = []
    using chat = openChat({ adapter: script.adapter, onConversationChange: (id) => changes.push(id) })
    await chat.loadConversation('a')
    expect(chat.getSnapshot()).toMatchObject({ conversationID: 'a', messages: [{ messageID: 'a1', messageId: 'a1' }] })
    await expect(chat.loadConversation('bad')).rejects.toMatchObject({ code: 'not_found' })
    expect(chat.getSnapshot()).toMatchObject({ conversationID: 'a', conversationError: { code: 'not_found' } })
    expect(chat.getSnapshot().messages).toHaveLength(1)
    await chat.loadConversation('b')
    expect(changes).toEqual(['a', 'b'])
  })

  test('[K8] deleting the current conversation starts a new one; another one only leaves the list', async () => {
    const script = keeping({ createConversation: async () => 'fresh' })
    using chat = openChat({ adapter: script.adapter })
    await chat.getConversations()
    await chat.loadConversation('a')
    await chat.deleteConversation('b')
    expect(chat.getSnapshot().conversationID).toBe('a')
    await chat.deleteConversation('a')
    expect(chat.getSnapshot()).toMatchObject({ conversationID: 'fresh', messages: [], history: { items: [] } })
  })

  test('[K8] the list has pages, and is refreshed after each run once it was opened', async () => {
    const script = keeping()
    script.adapter.send = async function* () {
      yield { op: 'end' }
    }
    const list = vi.spyOn(script.adapter.history!, 'list')
    using chat = openChat({ adapter: script.adapter })
    await chat.send('hi')
    expect(list).not.toHaveBeenCalled()
    await chat.getConversations(1, 1)
    expect(chat.getSnapshot().history).toMatchObject({ status: 'ready', hasMore: true })
    await chat.getConversations(2, 1)
    expect(chat.getSnapshot().history.items.map(({ title }) => title)).toEqual(['a', 'b'])
    await chat.send('again')
    expect(list).toHaveBeenCalledTimes(3)
    await chat.renameConversation('a', 'A')
    expect(chat.getSnapshot().history.items[0]?.title).toBe('A')
  })

  test('[K8] a list that cannot be read says so in its own area', async () => {
    const script = keeping()
    script.adapter.history!.list = () => Promise.reject(chatKitError('server', 'x'))
    using chat = openChat({ adapter: script.adapter })
    await expect(chat.getConversations()).rejects.toMatchObject({ code: 'server' })
    expect(chat.getSnapshot()).toMatchObject({
      history: { status: 'failed', error: { code: 'server' } },
      conversationError: null,
    })
  })
})

describe('[K11] onboarding', () => {
  test('[K8] initialising happens once; lazy creates nothing, eager one conversation', async () => {
    for (const conversationStart of ['lazy', 'eager'] as const) {
      const create = vi.fn<() => Promise<string>>(async () => 'cv')
      const onboarding = vi.fn<NonNullable<ChatAdapter['onboarding']>>(async () => ({
        prologue: 'Hi',
        predefinedQuestions: [],
      }))
      using chat = openChat({
        adapter: { ...scripted().adapter, createConversation: create, onboarding },
        conversationStart,
      })
      await Promise.all([chat.initialise(), chat.initialise()])
      await chat.initialise()
      expect(onboarding).toHaveBeenCalledTimes(1)
      expect(create).toHaveBeenCalledTimes(conversationStart === 'eager' ? 1 : 0)
    }
  })

  test('[K11] a failure shows the default text, reports once, and may be tried again', async () => {
    const onError = vi.fn<(error: unknown) => void>()
    let isDown = true
    const onboarding = async () => {
      if (isDown) throw chatKitError('network', 'down')
      return { prologue: 'Real', predefinedQuestions: [] }
    }
    const seen: unknown[] = []
    using chat = openChat({ adapter: { ...scripted().adapter, onboarding }, onError, locale: 'zh-CN' })
    chat.subscribe(() =>
      seen.push(chat.getSnapshot().onboarding.info?.prologue ?? chat.getSnapshot().onboarding.status),
    )
    await chat.initialise()
    expect(seen).toEqual(['loading', '你好！我是 AI 助手，有什么可以帮你的吗？'])
    expect(onError).toHaveBeenCalledTimes(1)
    expect(chat.getSnapshot().conversationError).toBeNull()
    isDown = false
    await chat.initialise()
    expect(chat.getSnapshot().onboarding.info?.prologue).toBe('Real')
  })

  test.each([
    ['Hi {{user_name}}!', 'Ann', 'Hi Ann!'],
    ['Hi {{user_name}}!', '', 'Hi!'],
    ['{{user_name}} hello', '', 'hello'],
    ['你好{{user_name}}', '', '你好'],
    ['$& {{user_name}}', '$&', '$& $&'],
  ])('[K11] %j for %j is %j', (prologue, name, shown) => {
    expect(withUserName(prologue, name)).toBe(shown)
  })
})

describe('[K23.6]', () => {
  test('[K9] a context needs a title; it stays until replaced, removed or a new conversation', async () => {
    using chat = openChat({ adapter: scripted().adapter, defaultApplicationContext: { title: 'default', data: 0 } })
    // @ts-expect-error what a host without types may pass
    expect(() => chat.injectApplicationContext({ data: 1 })).toThrow(TypeError)
    // @ts-expect-error what a host without types may pass
    expect(() => chat.injectApplicationContext(null)).toThrow(TypeError)
    const shown = () => effectiveContext(chat.getSnapshot())?.title
    expect(shown()).toBe('default')
    chat.injectApplicationContext({ title: 'one', data: 1 })
    chat.injectApplicationContext({ title: 'two', data: 1 })
    expect(shown()).toBe('two')
    chat.removeApplicationContext()
    expect(shown()).toBe('default')
    chat.injectApplicationContext({ title: 'three', data: 1 })
    await chat.createConversation()
    expect(shown()).toBe('default')
  })
})

describe('[K23.4]', () => {
  test('[K14] bridge actions are delivered once per id and never from history', async () => {
    const onBridge = vi.fn<(action: string, payload: unknown) => void>()
    const script = keeping()
    using chat = openChat({ adapter: script.adapter, onBridge })
    await chat.loadConversation('a')
    const sent = chat.send('hi')
    await tick()
    const bridge = { op: 'bridge', action: 'map.show', payload: { at: 1 }, id: 'tc1:0' } as const
    await script.say(bridge, bridge, { ...bridge, id: 'tc1:1' }, { op: 'end' })
    await sent
    expect(onBridge.mock.calls.map(([action]) => action)).toEqual(['map.show', 'map.show'])
  })

  test('[K14] a block of an unknown type is kept as it is', async () => {
    const script = scripted()
    using chat = openChat({ adapter: script.adapter })
    const sent = chat.send('hi')
    await tick()
    await script.say({ op: 'block', block: { type: 'Hologram', key: 'h', content: { x: 1 } } }, { op: 'end' })
    expect(shape(await sent)).toEqual([['Hologram', { x: 1 }]])
  })
})
