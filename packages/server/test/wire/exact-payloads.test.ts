import type { FakeModel } from '@parley/testkit'
import { startFakeModel } from '@parley/testkit'
import { expect, test } from 'vitest'
import type { Received } from '../face/client.ts'
import { ONE_TOOL_CALL } from './fixtures/one-tool-call.ts'
import { isOfFlow } from './trace.ts'
import { World } from './world.ts'

test('[W10.20] [WR-4] [WR-5] [WR-6] [WR-18] in the default mode, the run of 10.2 is this, payload by payload', async () => {
  await using provider = await listFiles()
  await using world = await World.open('sqlite', {
    language: 'zh',
    model: 'claude-sonnet-4-20250514',
    models: [
      {
        id: 'claude-sonnet-4-20250514',
        provider: 'openai-compatible',
        url: provider.url,
        model: 'fake-model',
        contextWindow: 200_000,
      },
    ],
  })
  await using chat = await world.chat()
  const { events } = await chat.run('列出当前目录下的文件')
  const flow = withNames(events.filter(isOfFlow))
  expect(flow.map(({ name }) => name)).toEqual(ONE_TOOL_CALL.map(({ name }) => name))
  expect(flow).toMatchObject(ONE_TOOL_CALL)
  for (const { name, payload } of flow)
    if (name === 'turn:patch') expect((payload['data'] as { turn: object }).turn).not.toHaveProperty('text_delta')
  const durations = events.filter(({ name }) => name === 'turn:start' || name === 'turn:end').map(durationOf)
  expect(durations).toEqual([0, 0, 0, expect.any(Number), 0, expect.any(Number)])
})

const durationOf = ({ payload }: Received) => payload['duration_ms']

/** Says the same as the specification's example, each text in one piece. */
function listFiles(): Promise<FakeModel> {
  return startFakeModel([
    {
      text: '我来帮你查看...',
      calls: [{ name: 'Bash', arguments: '{"command": "ls -la"}' }],
      usage: { input: 500, output: 40 },
    },
    { text: '当前目录有以下文件...', usage: { input: 600, output: 80 } },
  ])
}

/** Ids by the order they come in, as the specification writes them; event numbers by rank; dates and times by kind. */
function withNames(events: readonly Received[]): Received[] {
  const known = new Map<string, string>()
  const counts: Record<string, number> = { sess: 1, chat: 1, turn: 0, entry: 0, tc: 1 }
  const nameOf = (id: string) => {
    const prefix = /^(sess|chat|turn|entry|tc)_/.exec(id)?.[1]
    if (!prefix) return id
    if (!known.has(id)) {
      const number = counts[prefix]!++
      known.set(id, `${prefix}_${prefix === 'tc' ? String(number).padStart(3, '0') : number}`)
    }
    return known.get(id)!
  }
  const renamed = (key: string, value: unknown): unknown => {
    if (key === 'started_at') return Number.isNaN(Date.parse(String(value))) ? value : 'a date'
    if (key === 'duration_ms' && typeof value === 'number' && value >= 0) return 'a duration'
    return typeof value === 'string' ? nameOf(value) : value
  }
  return events.map(({ name, payload }, index) => {
    const read = JSON.parse(JSON.stringify(payload, renamed)) as Record<string, unknown>
    return { name, payload: { ...read, event_seq: index + 1 } }
  })
}
