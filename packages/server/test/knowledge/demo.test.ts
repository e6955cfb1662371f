import type { SourcePassage } from '@parley/protocol/rest'
import { expect, test } from 'vitest'
import { sharedWorld } from '../wire/world.ts'

const world = sharedWorld('sqlite', { modelUrl: undefined, model: undefined })

test.each([
  ['When does a confirmation expire?', 'fifteen minutes', 'Parley in short'],
  ['确认请求多久会过期？', '十五分钟', 'Parley 简介'],
])('the demo model answers from the built-in documents, with their source: %s', async (question, fact, title) => {
  await using chat = await world().chat()
  await chat.run(question)
  const answer = (await chat.messages()).at(-1)!
  expect(JSON.stringify(answer.blocks)).toContain(fact)
  expect(answer.citations).toMatchObject([{ title }])
  const path = `/api/sessions/${chat.session_id}/sources/${answer.citations![0]!.ref}`
  expect((await world().rest<SourcePassage>('GET', path)).body.passage).toContain(fact)
})

test('what the demo has a script for is answered by the script, and greetings find nothing', async () => {
  await using chat = await world().chat()
  await chat.run('Hello, what can you do?')
  expect((await chat.messages()).at(-1)!.citations).toBeUndefined()
})
