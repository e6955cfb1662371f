import { describe, expect, test } from 'vitest'
import type { ModelRequest } from '../../src/ports.ts'
import { type Reply, scriptedTools } from '../loop/scripted.ts'
import { choose, type Instance, lastCall } from '../sessions/rig.ts'
import { isSummary, words } from './conversation.ts'
import { on, PLACES } from './places.ts'

const SECRET = 'tok-7f3a9c1e-very-private'

/** A conversation that holds everything that must not be lost. */
async function converse(one: Instance, secret = 'a secret'): Promise<string> {
  const { id } = await one.create()
  const first = await one.events(await one.send(id, '发布前必须先跑一遍回归测试，工单是 OPS-4711。'))
  await one.events(await one.answer(id, choose(lastCall(first), 1)))
  await one.events(await one.send(id, `只能改 src/billing/invoice.ts 这个文件。\n- [ ] 更新变更日志`))
  await one.events(await one.send(id, `The key is ${secret}. ${words(200)}`))
  await one.events(await one.send(id, '现在呢？'))
  return id
}

const QUESTION = {
  name: 'AskUserQuestion',
  arguments: { questions: [{ question: 'Where to?', options: [{ label: 'staging' }, { label: 'production first' }] }] },
}
const talking =
  (summaries: string[]) =>
  (request: ModelRequest): Reply => {
    if (isSummary(request)) return { text: summaries.shift() ?? 'no more' }
    return JSON.stringify(request.messages).includes('Where to?') || request.messages.length > 1
      ? { text: `好。${words(40)}` }
      : { calls: [QUESTION] }
  }
const KEPT = ['OPS-4711', 'src/billing/invoice.ts', '更新变更日志', 'production first', '发布前必须先跑一遍回归测试']
const summaryOf = async (one: Instance, id: string) => {
  await one.compacted(await one.compact(id))
  return (await one.messages(id)).at(-1)!.summary_full!
}
const asked = (one: Instance) => one.model.requests.filter((text) => text.includes('<record>'))

describe.each(PLACES)('[W10.11] [D4] what a summary keeps, on %s', (place) => {
  test('one that lost tasks, decisions, paths, ids or the user’s words is refused once, with what it lost', async () => {
    await using rig = await on(place)
    const good = `发布前必须先跑一遍回归测试，工单是 OPS-4711。只能改 src/billing/invoice.ts 这个文件。待办：更新变更日志。决定：production first。`
    const one = rig.instance({ model: talking(['We talked.', good]), contextWindow: 8_000, tools: scriptedTools({}) })
    const id = await converse(one)
    expect(await summaryOf(one, id)).toBe(good)
    expect(asked(one)).toHaveLength(2)
    expect(asked(one)[1]).toContain('We talked.')
    const demanded = asked(one)[1]!.slice(asked(one)[1]!.indexOf('It has lost these'))
    for (const kept of KEPT) expect(demanded).toContain(kept)
  })

  test('what is lost twice is put back word for word; one that lost nothing is asked for once', async () => {
    await using rig = await on(place)
    const one = rig.instance({ model: talking(['We talked.', 'Still nothing.']), contextWindow: 8_000 })
    const id = await converse(one)
    const summary = await summaryOf(one, id)
    expect(summary).toMatch(/^Still nothing\./)
    for (const kept of KEPT) expect(summary).toContain(kept)
    expect(asked(one)).toHaveLength(2)
    await one.events(await one.send(id, '继续'))
    expect(one.model.requests.at(-1)).toContain('OPS-4711')
  })

  test('[D7] no value of the environment is in a summary, nor in what the summary is made of', async () => {
    await using rig = await on(place)
    const one = rig.instance({
      model: talking([`The key is ${SECRET}.`, `It was ${SECRET}.`]),
      contextWindow: 8_000,
      secrets: [SECRET, 'zh'],
    })
    const id = await converse(one, SECRET)
    const summary = await summaryOf(one, id)
    expect(summary).toContain('[secret]')
    expect(summary).not.toContain(SECRET)
    for (const request of asked(one).slice(0, 1)) expect(request).not.toContain(SECRET)
    const stored = await rig.sql<{ data: string }>(
      'SELECT data FROM events WHERE session_id = ? AND data LIKE \'%"kind":"compaction"%\'',
      [id],
    )
    expect(stored.length).toBeGreaterThan(0)
    for (const { data } of stored) expect(data).not.toContain(SECRET)
  })
})
