import { describe, expect, test } from 'vitest'
import { createPolicy } from '../../src/confirm/policy.ts'
import { taskTools } from '../../src/tasks/tasks-feature.ts'
import { renderChart } from '../../src/tools/builtin/render-chart.ts'
import { renderHtml } from '../../src/tools/builtin/render-html.ts'
import { toolsFor } from '../../src/tools/registry.ts'
import type { JsonValue, Tools } from '../../src/ports.ts'
import { scriptedTools } from '../loop/scripted.ts'
import { dataOf, type Instance, type InstanceOptions, Rig, structure, type Told } from './rig.ts'

const policy = createPolicy({ rules: [], headless: 'fail' })

const builtin = (session_id: string, isPlanning = false): Tools =>
  toolsFor(() => [...taskTools, renderHtml, renderChart], {
    session_id,
    workspace: async () => '/nowhere',
    subject: async () => null,
    env: {},
    notify: () => undefined,
    language: 'en',
    disabled: [],
    isPlanning,
    isHeadless: false,
    isNamed: () => false,
    policy,
  })

describe('the task list', () => {
  test('[W6.10] every change is told with the whole list, in one transaction with the result', async () => {
    await using rig = await Rig.open()
    const { one, session_id } = await withBuiltin(rig, [
      { calls: [{ name: 'TaskCreate', arguments: { title: 'Read the log' } }] },
      { calls: [{ name: 'TaskCreate', arguments: { title: 'Fix it', description: 'all of it' } }] },
      { text: 'Listed' },
    ])
    const events = await one.events(await one.send(session_id, 'Plan it'))
    const { tasks } = dataOf(events, 'task:updated')
    expect(tasks).toMatchObject([
      { title: 'Read the log', status: 'pending', description: null },
      { title: 'Fix it', description: 'all of it' },
    ])
    expect(structure(events).filter((line) => /tool_result|task/.test(line))).toEqual([
      'tool_result done',
      'task:updated',
      'tool_result done',
      'task:updated',
    ])
    expect(rig.errors).toEqual([])
  })

  test('tasks of one answer are listed in the order they were made', async () => {
    await using rig = await Rig.open()
    const titles = Array.from({ length: 12 }, (_, index) => `Task ${index}`)
    const calls = titles.map((title) => ({ name: 'TaskCreate', arguments: { title } }))
    const { one, session_id } = await withBuiltin(rig, [{ calls }, { text: 'Listed' }])
    const events = await one.events(await one.send(session_id, 'Go'))
    expect(dataOf(events, 'task:updated').tasks.map(({ title }) => title)).toEqual(titles)
  })

  test.each(['before:C6', 'after:C6'] as const)('a crash %s makes the task once', async (point) => {
    await using rig = await Rig.open()
    const script = [{ calls: [{ name: 'TaskCreate', arguments: { title: 'Once' } }] }]
    const { id } = await rig.instance().create()
    const dead = rig.frozenAt(point, { model: script, tools: builtin(id) })
    const accepted = await dead.send(id, 'Go')
    await dead.frozen
    const two = rig.instance({ model: [{ text: 'Done' }], tools: builtin(id) })
    await rig.takeOver(id, two)
    const events = await two.events(accepted)
    expect(await rig.sql('SELECT title FROM tasks')).toEqual([{ title: 'Once' }])
    expect(results(events)).toMatchObject([{ status: 'done' }])
  })

  test('an unknown task, and a change that does not fit, are errors the model can read', async () => {
    await using rig = await Rig.open()
    const calls = [
      { name: 'TaskUpdate', arguments: { id: 'task_x', status: 'completed' } },
      { name: 'TaskUpdate', arguments: { id: 'task_x', status: 'finished' } },
    ]
    const { one, session_id } = await withBuiltin(rig, [{ calls }, { text: 'I see' }])
    const events = await one.events(await one.send(session_id, 'Go'))
    expect(results(events)).toMatchObject([
      { status: 'error', result: expect.stringContaining('There is no task task_x') },
      { status: 'error', result: expect.stringContaining('status') },
    ])
  })
})

describe('planning', () => {
  test('[W10.14] a plan is proposed by SubmitPlan, approved by executing, and its steps follow TaskUpdate', async () => {
    await using rig = await Rig.open()
    const plan = { plan: '# First, then', steps: ['First', 'Then'] }
    const { one, session_id } = await withBuiltin(
      rig,
      [{ calls: [{ name: 'SubmitPlan', arguments: plan }] }, { text: 'There' }],
      true,
    )
    const proposed = await one.events(await one.send(session_id, '先给方案', { mode: 'planning' }))
    const [status] = blocks(proposed, 'plan_status')
    expect(status).toMatchObject({
      status: 'proposed',
      plan: '# First, then',
      steps: [
        { title: 'First', status: 'pending' },
        { title: 'Then', status: 'pending' },
      ],
    })
    const { id } = (status as { steps: { id: string }[] }).steps[0]!
    const two = rig.instance({
      model: [{ calls: [{ name: 'TaskUpdate', arguments: { id, status: 'completed' } }] }, { text: 'Done' }],
      tools: builtin(session_id),
    })
    const executed = await two.events(await two.send(session_id, '执行', { mode: 'executing' }))
    const system = executed.find(({ type, data }) => type === 'turn:start' && data['role'] === 'system')
    expect((system!.data['blocks'] as { type: string }[]).map(({ type }) => type)).toEqual([
      'planning_exit',
      'mode_change',
      'plan_status',
    ])
    expect(system!.data['blocks']).toMatchObject([{}, {}, { content: { status: 'approved', plan: '# First, then' } }])
    expect(blocks(executed, 'plan_status')).toMatchObject([
      { status: 'in_progress', steps: [{ status: 'completed' }, { status: 'pending' }] },
    ])
  })

  test('[W10.14] SubmitPlan is offered while planning only, tools that change something only while executing', () => {
    const names = (isPlanning: boolean) =>
      builtin('sess_1', isPlanning)
        .list()
        .map(({ name }) => name)
    expect(names(true)).toEqual(['TaskList', 'SubmitPlan'])
    expect(names(false)).toEqual(['TaskCreate', 'TaskUpdate', 'TaskList', 'RenderHtml', 'RenderChart'])
  })
})

describe('[W7.10] _meta of a result', () => {
  const told = (result: JsonValue) => ({ Map: { run: () => Promise.resolve({ result }) } })

  test('becomes a bridge block and a card after the result; the model sees neither', async () => {
    await using rig = await Rig.open()
    const meta = {
      bridge: { action: 'map.highlight', payload: { ids: [1] } },
      ui: { resourceHTML: '<p>secret card</p>', target: 'inline' },
    }
    const one = rig.instance({
      model: [{ calls: [{ name: 'Map' }] }, { text: 'Shown' }],
      tools: scriptedTools(told({ ok: true, _meta: meta })),
    })
    const { events } = await one.chat('Show')
    const order = events
      .filter(({ type }) => type === 'turn:patch')
      .map(({ data }) => data as { patch_type: string; data: { type?: string } })
    expect(order.slice(0, 4).map(({ patch_type, data }) => data.type ?? patch_type)).toEqual([
      'add_tool_call',
      'tool_result',
      'tool_bridge',
      'tool_ui',
    ])
    expect(blocks(events, 'tool_bridge')).toEqual([{ action: 'map.highlight', payload: { ids: [1] } }])
    expect(one.model.requests.at(-1)).not.toContain('secret card')
    expect(results(events)).toMatchObject([{ result: { ok: true, _meta: meta } }])
  })

  test('as JSON text counts too; invalid parts are dropped with a warning and the result stands', async () => {
    await using rig = await Rig.open()
    const text = JSON.stringify({
      ok: 1,
      _meta: { bridge: { payload: 1 }, ui: { resourceHTML: 'a', resourceUri: 'b' } },
    })
    const one = rig.instance({
      model: [{ calls: [{ name: 'Map' }] }, { text: 'Shown' }],
      tools: scriptedTools(told(text)),
    })
    const { events } = await one.chat('Show')
    expect(blocks(events, 'tool_bridge')).toEqual([])
    expect(events.filter(({ type }) => type === 'system:notification').map(({ data }) => data['status'])).toEqual([
      'warning',
      'warning',
    ])
    expect(results(events)).toMatchObject([{ status: 'done' }])
  })

  test('of a result too long to keep does not reach the model of a later run', async () => {
    await using rig = await Rig.open()
    const result = { text: 'x'.repeat(70_000), _meta: { ui: { resourceHTML: '<p>secret card</p>' } } }
    const one = rig.instance({
      model: [{ calls: [{ name: 'Map' }] }, { text: 'Shown' }, { text: 'Later' }],
      tools: scriptedTools(told(result)),
    })
    const { session_id, events } = await one.chat('Show')
    expect(blocks(events, 'tool_ui')).toMatchObject([{ resourceHTML: '<p>secret card</p>' }])
    await one.events(await one.send(session_id, 'And?'))
    expect(one.model.requests.at(-1)).not.toContain('secret card')
  })
})

async function withBuiltin(
  rig: Rig,
  model: InstanceOptions['model'],
  isPlanning = false,
): Promise<{ one: Instance; session_id: string }> {
  const { id } = await rig.instance().create()
  return { one: rig.instance({ ...(model && { model }), tools: builtin(id, isPlanning) }), session_id: id }
}

function patches(events: readonly Told[], patch_type: string): Record<string, unknown>[] {
  return events
    .filter(({ type, data }) => type === 'turn:patch' && data['patch_type'] === patch_type)
    .map(({ data }) => data['data'] as Record<string, unknown>)
}

const results = (events: readonly Told[]) => patches(events, 'tool_result')

function blocks(events: readonly Told[], type: string): unknown[] {
  return patches(events, 'add_content')
    .filter((data) => data['type'] === type)
    .map(({ content }) => content)
}
