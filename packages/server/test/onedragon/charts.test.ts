import { expect, test } from 'vitest'
import { onedragonSchema } from '../../src/config/onedragon-options.ts'
import { analysisOf, drawing, execute, OPTION, PATIENCE, tool, write } from '../tools/analysis/programs.ts'
import { STORES, World } from '../wire/world.ts'
import { answer } from './reader.ts'

const PREFIX = '/od'

test.each(STORES)('[O9] [O13.3.2] [O16.11] the chart flow, under a prefix, on %s', PATIENCE, async (store) => {
  await using world = await World.open(store, {
    faces: { onedragon: onedragonSchema.parse({ prefix: PREFIX, name: 'Drache' }) },
  })
  world.learn({
    ...analysisOf('chart it', 'Goal: chart it', [
      write('main.mjs', drawing([OPTION])),
      execute('main.mjs'),
      { text: 'Drawn.' },
    ]),
    'chart it': [
      tool('analyse_by_code', { goal: 'Goal: chart it' }),
      tool('display_analyse_by_code_result', { analyse_id: 1 }),
      { text: 'There it is.' },
    ],
  })
  const response = await answer(world, { user_input: 'chart it' }, { path: `${PREFIX}/chat/stream` })
  const { session_id } = response
  const [call, result, shown, display, last] = response.completed()
  expect(response.completed()).toHaveLength(5)
  expect(call!.content).toMatchObject([
    { type: 'tool_use', name: 'analyse_by_code', input: { goal: 'Goal: chart it' } },
  ])
  expect(JSON.parse(result!.content[0]!.output![0]!.text)).toMatchObject({
    analyse_id: 1,
    result: { name: 'Drache', role: 'assistant', content: [{ type: 'text', text: 'Drawn.' }], metadata: null },
  })
  const id = shown!.content[0]!.id
  expect(shown!.content).toMatchObject([{ name: 'display_analyse_by_code_result', input: { analyse_id: 1 } }])
  expect(display!.content).toEqual([
    {
      type: 'tool_result',
      id,
      name: 'display_analyse_by_code_result',
      output: [{ type: 'text', text: '{"analyse_id":1}' }],
    },
  ])
  expect(last!.content).toEqual([{ type: 'text', text: 'There it is.' }])
  const path = `${PREFIX}/chat/get_analyse_by_code_result`
  for (const body of [{ analyse_id: 1 }, { analyse_id: 1, session_id }]) {
    const { body: given } = await world.rest('POST', path, { body })
    expect(given).toEqual({
      ...{ session_id, analyse_id: 1, echarts_list: [OPTION] },
      result: { echarts_list: [OPTION] },
    })
  }
})
