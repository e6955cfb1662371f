import { join } from 'node:path'
import { textOf } from '@parley/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { World } from './world.ts'

// What somebody without a model's key sees: real tools, called by the demo.

let world: World
beforeAll(async () => {
  const { tools, toolsFile } = await loadConfig(join(import.meta.dirname, '../tools/own/workers'), {})
  const models = [{ id: 'demo', provider: 'demo' as const, name: 'Demo' }]
  const given = { tools, toolsFile, models }
  world = await World.open('sqlite', given)
})
afterAll(() => world[Symbol.asyncDispose]())

describe.each([
  {
    language: 'en',
    analyse: 'Analyse some figures with a program',
    titles: ['Sales by month', 'Sales by region'],
    found: /Over the year \*\*\d+\*\* were sold\. The best month was \*\*\w+\*\*/,
    own: 'Call my own tool add',
    answered: /I called `add`[\s\S]*"sum"/,
    none: 'defineTool',
  },
  {
    language: 'zh',
    analyse: '用程序分析一组数据',
    titles: ['每月销售额', '各地区销售额'],
    found: /全年共售出 \*\*\d+\*\*。最好的月份是\*\*\d+月\*\*/,
    own: '调用我自己的工具 add',
    answered: /我调用了 `add`[\s\S]*"sum"/,
    none: '还没有',
  },
])('the demo, in $language,', ({ analyse, titles, found, own, answered, none }) => {
  test('[D4] [O13.1] lets a program be written and run, and shows its charts', async () => {
    await using chat = await world.chat()
    const run = await chat.run(analyse)
    expect(run.end.status).toBe('completed')
    const turns = await chat.messages()
    expect(textOf(turns.at(-1)!)).toMatch(found)
    const card = turns.flatMap(({ blocks }) => blocks).find(({ type }) => type === 'tool_ui')
    const { echarts_list: charts } = card!.content as unknown as { echarts_list: { title: { text: string } }[] }
    expect(charts.map(({ title }) => title.text)).toEqual(titles)
  })

  test(
    '[D4] [W12.10] calls a tool that the operator brought, and says what it answered',
    { timeout: 60_000 },
    async () => {
      await using chat = await world.chat()
      await chat.run(own)
      expect(textOf((await chat.messages()).at(-1)!)).toMatch(answered)
    },
  )

  test('[D4] says how to bring one where there is none', async () => {
    const tools = await world.rest<{ items: { name: string; provider: string }[] }>('GET', '/api/tools')
    const disable_tools = tools.body.items
      .filter(({ name, provider }) => provider === 'own' || /^[A-Z]/.test(name))
      .map(({ name }) => name)
    await using chat = await world.chat({ session_id: await world.newSession({ disable_tools }) })
    await chat.run(own)
    expect(textOf((await chat.messages()).at(-1)!)).toContain(none)
  })
})
