import { expect, test } from 'vitest'
import { endOf } from './chat.ts'
import { sharedWorld } from './world.ts'

const world = sharedWorld()

test('[W10.14] [WR-20] a change of mode is a system turn of its own before the user turn, and only a change is', async () => {
  world().learn({ plan: [{ text: 'A plan.' }], 'plan more': [{ text: 'More plan.' }], act: [{ text: 'Acting.' }] })
  await using chat = await world().chat()
  const first = await chat.run('plan', { mode: 'planning' })
  expect(first.trace).toEqual([
    'chat:start',
    'turn:start T0 system completed',
    'turn:end T0 completed',
    'turn:start T1 user completed',
    'turn:end T1 completed',
    'turn:start T2 assistant streaming',
    'T2 text: A plan.',
    'turn:end T2 completed',
    'chat:end completed/completed',
  ])
  expect(endOf(first, 0).blocks).toMatchObject([
    { type: 'mode_change', content: { from: 'executing', to: 'planning' } },
    { type: 'planning_enter', content: null },
  ])
  expect((await chat.session()).mode).toBe('planning')
  expect(first.events.find(({ name }) => name === 'session:updated')!.payload).toMatchObject({ mode: 'planning' })

  const second = await chat.run('plan more', { mode: 'planning' })
  expect(second.trace[1]).toBe('turn:start T3 user completed')

  const third = await chat.run('act', { mode: 'executing' })
  expect(third.trace[1]).toBe('turn:start T5 system completed')
  expect(endOf(third, 0).blocks.slice(0, 2)).toMatchObject([
    { type: 'planning_exit', content: null },
    { type: 'mode_change', content: { from: 'planning', to: 'executing' } },
  ])
})

test('[W10.14] [WR-46] the mode stays until it is changed; in planning no writing tool is offered', async () => {
  world().learn({ think: [{ text: 'Hm.' }], 'think on': [{ text: 'Hm, hm.' }], do: [{ text: 'Done.' }] })
  await using chat = await world().chat()
  expect((await chat.session()).mode).toBe('executing')
  await chat.run('think', { mode: 'planning' })
  await chat.run('think on')
  await chat.run('do', { mode: 'executing' })
  for (const question of ['think', 'think on']) {
    const { tools } = world().requests(question)[0]!
    expect(tools).toEqual(expect.arrayContaining(['Read', 'Glob', 'AskUserQuestion']))
    for (const writing of ['Write', 'Bash', 'Work']) expect(tools).not.toContain(writing)
  }
  expect(world().requests('do')[0]!.tools).toEqual(expect.arrayContaining(['Write', 'Bash']))
})

test('[W10.14] a writing tool called in planning all the same does not run', async () => {
  world().learn({
    sneak: [{ calls: [{ name: 'Write', arguments: { file_path: 'x.txt', content: 'x' } }] }, { text: 'I may not.' }],
  })
  await using chat = await world().chat()
  const run = await chat.run('sneak', { mode: 'planning' })
  expect(run.trace).toContain('T2 tool_result c1 error')
})
