import type { FakeRequest } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { sharedWorld, STORES } from './world.ts'

const asksForTitle = ({ question }: FakeRequest) => question.startsWith('Name this conversation')

describe.each(STORES)('[W10.1] [W11.2] on %s, with a model for titles,', (store) => {
  const world = sharedWorld(store, { titleModel: 'fake-model', suggestions: false })
  const learn = () =>
    world().otherwise((request) => {
      const first = request.messages.find(({ role }) => role === 'user')!.text
      return asksForTitle(request)
        ? { text: TITLES[first] ?? '', delayMs: first === 'Rename me' ? 1_500 : 0 }
        : { text: `An answer to ${first}` }
    })
  const TITLES: Record<string, string> = {
    'How do I get my money back for the red shoes?': '"Refund for red shoes."\nSecond line',
    '我的订单到哪里了？请帮我查一下': '《查询订单》',
    'Say nothing': '   ',
    'Rename me': 'By the model',
  }
  let hasLearned = false
  const chatAbout = async (message: string) => {
    if (!hasLearned) learn()
    hasLearned = true
    const chat = await world().chat()
    await chat.run(message)
    return chat
  }

  test.each([
    ['How do I get my money back for the red shoes?', 'Refund for red shoes'],
    ['我的订单到哪里了？请帮我查一下', '查询订单'],
  ])('a session is called by its first words, and then as the model says: %s', async (message, title) => {
    await using chat = await chatAbout(message)
    await chat.until(({ name, payload }) => name === 'session:updated' && payload['intent'] === title)
    const intents = chat.received.map(({ payload }) => payload['intent']).filter(Boolean)
    expect(intents).toEqual([message, title])
    expect((await chat.session()).intent).toBe(title)
    const { body } = await world().rest<{ items: { id: string }[] }>(
      'GET',
      `/api/sessions?q=${encodeURIComponent(title)}`,
    )
    expect(body.items.map(({ id }) => id)).toContain(chat.session_id)
    // Once: later messages change no title.
    await chat.run('And then?')
    const asked = world()
      .provider.requests.filter(asksForTitle)
      .filter(({ messages }) => messages[0]!.text === message)
    expect(asked).toHaveLength(1)
  })

  test('without a usable answer the first words stay', async () => {
    await using chat = await chatAbout('Say nothing')
    await expect
      .poll(() =>
        world()
          .provider.requests.filter(asksForTitle)
          .some(({ messages }) => messages[0]!.text === 'Say nothing'),
      )
      .toBe(true)
    await chat.run('more')
    expect((await chat.session()).intent).toBe('Say nothing')
  })

  test('what a person calls it stays, also when the model is slower', async () => {
    await using chat = await chatAbout('Rename me')
    const asked = () =>
      world().provider.requests.find((one) => asksForTitle(one) && one.messages[0]!.text === 'Rename me')
    await expect.poll(asked, { timeout: 30_000 }).toBeDefined()
    await world().rest('PATCH', `/api/sessions/${chat.session_id}`, { body: { intent: 'Mine' } })
    expect(await asked()!.closed).toBe('finished')
    await chat.run('And then?')
    expect((await chat.session()).intent).toBe('Mine')
  })

  test('one that has a name from the start keeps it, and nobody is asked', async () => {
    const session_id = await world().newSession({ intent: 'Named' })
    await using chat = await world().chat({ session_id })
    await chat.run('Named from the start')
    await chat.run('And then?')
    expect((await chat.session()).intent).toBe('Named')
    const asked = world()
      .provider.requests.filter(asksForTitle)
      .map(({ messages }) => messages[0]!.text)
    expect(asked).not.toContain('Named from the start')
  })
})
