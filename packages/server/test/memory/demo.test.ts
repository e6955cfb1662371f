import type { Memory, Page } from '@parley/protocol/rest'
import { expect, test } from 'vitest'
import { sharedWorld } from '../wire/world.ts'

const world = sharedWorld('sqlite', { modelUrl: undefined, model: undefined })

test.each([
  {
    say: 'Remember that my favourite fruit is the mango',
    noted: 'my favourite fruit is the mango',
    ask: 'What is my favourite fruit?',
    forget: 'Forget my favourite fruit',
  },
  {
    say: '记住我最喜欢的水果是芒果',
    noted: '我最喜欢的水果是芒果',
    ask: '我最喜欢的水果是什么？',
    forget: '忘记我最喜欢的水果',
  },
])('the demo model remembers in one session, recalls in another and forgets: “$say”', async (words) => {
  const said = async (question: string) => {
    await using chat = await world().chat()
    await chat.run(question)
    const answer = (await chat.messages()).at(-1)!
    return { text: JSON.stringify(answer.blocks), memory_refs: answer.memory_refs }
  }
  const kept = async () => (await world().rest<Page<Memory>>('GET', '/api/memories')).body.items
  await said(words.say)
  expect(await kept()).toMatchObject([{ content: words.noted }])
  const recalled = await said(words.ask)
  expect(recalled.text).toContain(words.noted)
  expect(recalled.memory_refs).toMatchObject([{ content_preview: words.noted }])
  await said(words.forget)
  expect(await kept()).toEqual([])
  expect((await said(words.ask)).memory_refs).toBeNull()
})
