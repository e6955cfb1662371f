// What a tab keeps of a chat over a reload; a reload is a second store over the same storage.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ChatAdapter } from '../src/model/chat-adapter.ts'
import { chatKitError, type ChatKitErrorCode } from '../src/model/chat-kit-error.ts'
import type { ChatStoreOptions } from '../src/store/store-options.ts'
import { atOnce, openChat, scripted } from './chat.ts'

let kept: Map<string, string>
beforeEach(() => {
  kept = new Map()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const role = { name: '', type: 'User', avatar: '' } as const
const past = (id: string) => ({ messageID: id, role, content: [{ type: 'Text', content: id }] })

function keeping(load: (id: string) => Promise<ReturnType<typeof past>[]> = async (id) => [past(`${id}1`)]) {
  return scripted({
    place: 'https://parley.example.com',
    createConversation: async () => 'new',
    history: { list: async () => [], load, remove: async () => {} },
  }).adapter
}
const open = (adapter: ChatAdapter, options: Partial<ChatStoreOptions> = {}) =>
  openChat({ adapter, remember: true, schedule: atOnce, ...options })
const failing = (code: ChatKitErrorCode) => keeping(() => Promise.reject(chatKitError(code, 'No.')))

/** A tab in which a conversation is open and something half written. */
async function leave(conversationID = 'a', textInput = 'half a thought'): Promise<void> {
  using chat = open(keeping())
  await chat.initialise()
  await chat.loadConversation(conversationID)
  chat.setTextInput(textInput)
}

test('[K8] the conversation and the text box are there again after a reload', async () => {
  await leave()
  using chat = open(keeping())
  await chat.initialise()
  expect(chat.getSnapshot()).toMatchObject({
    conversationID: 'a',
    messages: [{ messageID: 'a1' }],
    textInput: 'half a thought',
  })
})

test('[K10.10] nothing but the conversation and the text box is kept', async () => {
  using chat = open(keeping(), { token: 'secret-token' })
  await chat.initialise()
  await chat.loadConversation('a')
  chat.setTextInput('draft')
  expect([...kept.values()].map((value) => JSON.parse(value) as unknown)).toEqual([
    { conversationID: 'a', textInput: 'draft' },
  ])
  expect([...kept.keys()].join()).not.toContain('secret')
})

test('[K8] the page’s own conversation wins over the one that was kept, and over its draft', async () => {
  await leave()
  using chat = open(keeping(), { conversationID: 'b' })
  await chat.initialise()
  expect(chat.getSnapshot()).toMatchObject({ conversationID: 'b', messages: [{ messageID: 'b1' }], textInput: '' })
})

test.each(['not_found', 'forbidden'] as const)(
  '[K8] a kept conversation that is %s gives way to a fresh one, without a word and without its draft',
  async (code) => {
    await leave()
    const onError = vi.fn<() => void>()
    using chat = open(failing(code), { onError })
    await chat.initialise()
    expect(chat.getSnapshot()).toMatchObject({
      conversationID: '',
      messages: [],
      textInput: '',
      conversationError: null,
      onboarding: { status: 'ready' },
    })
    expect(onError).not.toHaveBeenCalled()
    expect(kept.size).toBe(0)
  },
)

test('[K8] a kept conversation that cannot be reached now is told, and stays the one to go on with', async () => {
  await leave()
  {
    using chat = open(failing('network'))
    await chat.initialise()
    expect(chat.getSnapshot()).toMatchObject({ conversationID: 'a', conversationError: { code: 'network' } })
  }
  using chat = open(keeping())
  await chat.initialise()
  expect(chat.getSnapshot()).toMatchObject({ conversationID: 'a', messages: [{ messageID: 'a1' }] })
})

test('[K8] the greeting does not show before the kept conversation', async () => {
  await leave()
  const late = () => new Promise<ReturnType<typeof past>[]>((resolve) => setImmediate(() => resolve([past('a1')])))
  using chat = open(keeping(late))
  const seen = new Set<string>()
  chat.subscribe(() => {
    const { onboarding, messages } = chat.getSnapshot()
    if (messages.length === 0) seen.add(onboarding.status)
  })
  await chat.initialise()
  expect(seen).toEqual(new Set(['idle', 'loading']))
})

test('[K8] a second reload before the conversation was read loses nothing', async () => {
  await leave()
  {
    using chat = open(keeping(() => new Promise(() => {})))
    void chat.initialise()
    chat.setTextInput('more')
  }
  using chat = open(keeping())
  await chat.initialise()
  expect(chat.getSnapshot()).toMatchObject({ conversationID: 'a', textInput: 'more' })
})

test('two chats of a page are kept apart, also with another server', async () => {
  {
    using first = open(keeping())
    using second = open(keeping())
    using other = open({ ...keeping(), place: 'https://other.example.com' })
    for (const chat of [first, second, other]) await chat.initialise()
    await first.loadConversation('a')
    await second.loadConversation('b')
  }
  using first = open(keeping())
  using second = open(keeping())
  using other = open({ ...keeping(), place: 'https://other.example.com' })
  for (const chat of [first, second, other]) await chat.initialise()
  expect([first, second, other].map((chat) => chat.getSnapshot().conversationID)).toEqual(['a', 'b', ''])
})

test.each(['{', '[]', '"x"', '{"conversationID":7,"textInput":{}}'])(
  'what is no memory of ours, %s, is nothing',
  async (text) => {
    await leave()
    for (const key of kept.keys()) kept.set(key, text)
    using chat = open(keeping())
    await chat.initialise()
    expect(chat.getSnapshot()).toMatchObject({ conversationID: '', textInput: '', conversationError: null })
  },
)

test('a page that may not store anything has a chat all the same', async () => {
  vi.stubGlobal('sessionStorage', undefined)
  using chat = open(keeping())
  await chat.initialise()
  chat.setTextInput('draft')
  expect(chat.getSnapshot().onboarding.status).toBe('ready')
})

test('without a place and without a name nothing is kept', async () => {
  const { place: _, ...adapter } = keeping()
  using chat = open(adapter)
  await chat.initialise()
  await chat.loadConversation('a')
  expect(kept.size).toBe(0)
  using named = open(adapter, { remember: 'support' })
  await named.initialise()
  await named.loadConversation('a')
  expect([...kept.keys()]).toEqual([expect.stringContaining('support')])
})
