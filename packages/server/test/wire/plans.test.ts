import type { PlanStatus, Task, TurnProjection } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import type { Chat } from './chat.ts'
import { sharedWorld, STORES } from './world.ts'

const submit = (plan: string, steps: string[] = []) => ({ name: 'SubmitPlan', arguments: { plan, steps } })
const plansIn = (turns: readonly TurnProjection[]): PlanStatus[] =>
  turns.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === 'plan_status' ? [block.content] : [])))
const plansOf = async (chat: Chat) => plansIn(await chat.messages())

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const tasks = async (chat: Chat) =>
    (await world().rest<Task[]>('GET', `/api/sessions/${chat.session_id}/tasks`)).body.map(({ title }) => title)

  test('[W10.14] a plan is proposed, approved by executing, in progress with its first step and completed with its last', async () => {
    world().learn({
      'plan it': [{ calls: [submit('# Two steps', ['One', 'Two'])] }, { text: 'That is the plan.' }],
      'go ahead': ({ messages }, round) => {
        const told = messages.find(({ role, text }) => role === 'tool' && text.includes('step_'))!.text
        const [one, two] = told.match(/step_\w+/g)!
        const update = (id: string | undefined, status: string) => ({ name: 'TaskUpdate', arguments: { id, status } })
        if (round === 0) return { calls: [update(one, 'in_progress')] }
        if (round === 1) return { calls: [update(one, 'completed'), update(two, 'in_progress')] }
        if (round === 2) return { calls: [update(two, 'completed')] }
        return { text: 'Done.' }
      },
    })
    await using chat = await world().chat()
    await chat.run('plan it', { mode: 'planning' })
    await chat.run('go ahead', { mode: 'executing' })
    const plans = await plansOf(chat)
    expect(plans.map(({ status }) => status)).toEqual([
      'proposed',
      'approved',
      ...['in_progress', 'in_progress', 'in_progress'],
      'completed',
    ])
    expect(new Set(plans.map(({ plan_id }) => plan_id)).size).toBe(1)
    expect(plans[0]!.plan_id).toMatch(/^plan_/)
    expect(plans.map(({ steps }) => steps?.map(({ status }) => status).join(' '))).toEqual([
      'pending pending',
      'pending pending',
      'in_progress pending',
      'completed pending',
      'completed in_progress',
      'completed completed',
    ])
  })

  test('[W10.14] a plan that another takes the place of is rejected; executing approves the newest alone', async () => {
    world().learn({
      'plan a trip': [{ calls: [submit('By train', ['Buy a ticket'])] }, { text: 'By train?' }],
      'rather by bike': [{ calls: [submit('By bike', ['Pump the tyres'])] }, { text: 'By bike?' }],
      'why by bike': [{ text: 'It is healthy.' }],
      'off we go': [{ text: 'Going.' }],
    })
    await using chat = await world().chat()
    await chat.run('plan a trip', { mode: 'planning' })
    await chat.run('rather by bike', { mode: 'planning' })
    const [train, gone, bike] = await plansOf(chat)
    expect(gone).toEqual({ plan_id: train!.plan_id, status: 'rejected', superseded_by: bike!.plan_id })
    expect(bike).toMatchObject({ status: 'proposed', plan: 'By bike' })
    expect(await tasks(chat)).toEqual(['Pump the tyres'])
    // A question about it changes nothing.
    await chat.run('why by bike', { mode: 'planning' })
    expect(await plansOf(chat)).toHaveLength(3)
    await chat.run('off we go', { mode: 'executing' })
    expect((await plansOf(chat)).slice(3)).toMatchObject([
      { plan_id: bike!.plan_id, status: 'approved', plan: 'By bike' },
    ])
  })

  test('[W10.14] plan_decision refuses the plan with a message: its steps go, and executing approves nothing any more', async () => {
    world().learn({
      'plan a party': [{ calls: [submit('A big party', ['Invite all'])] }, { text: 'Like this?' }],
      'no party': [{ text: 'What then?' }],
      'no party at all': [{ text: 'Nothing.' }],
      'just work': [{ text: 'Working.' }],
    })
    await using chat = await world().chat()
    await chat.run('plan a party', { mode: 'planning' })
    expect(await tasks(chat)).toEqual(['Invite all'])
    const refusal = await chat.run('no party', { plan_decision: 'reject' })
    expect(refusal.trace.slice(0, 5)).toEqual([
      'chat:start',
      'turn:start T4 system completed',
      'turn:end T4 completed',
      'turn:start T5 user completed',
      'turn:end T5 completed',
    ])
    const [proposed, rejected] = await plansOf(chat)
    expect(rejected).toEqual({ plan_id: proposed!.plan_id, status: 'rejected' })
    expect(await tasks(chat)).toEqual([])
    expect(refusal.events.find(({ name }) => name === 'task:updated')?.payload).toMatchObject({ tasks: [] })
    expect((await chat.session()).mode).toBe('planning')
    const late = await chat.send('no party at all', { plan_decision: 'reject' })
    expect(late).toMatchObject({ status: 'error', code: 'ask_not_pending' })
    await chat.run('just work', { mode: 'executing' })
    expect(await plansOf(chat)).toHaveLength(2)
    expect(world().requests('no party at all')).toEqual([])
  })

  test('[W10.14] refusing and going on to act are one message; over REST, too', async () => {
    world().learn({
      'plan a walk': [{ calls: [submit('A walk')] }, { text: 'Shall we?' }],
      'read instead': [{ text: 'Reading.' }],
    })
    await using chat = await world().chat()
    await chat.run('plan a walk', { mode: 'planning' })
    const { status } = await world().rest('POST', `/api/sessions/${chat.session_id}/chat`, {
      body: { message: 'read instead', mode: 'executing', plan_decision: 'reject' },
    })
    expect(status).toBe(200)
    const system = (await chat.messages()).findLast(({ role }) => role === 'system')!
    expect(system.blocks.map(({ type }) => type)).toEqual(['planning_exit', 'mode_change', 'plan_status'])
    expect((await plansOf(chat)).map((plan) => plan.status)).toEqual(['proposed', 'rejected'])
  })

  test('[W10.14] without a plan there is nothing to refuse, and other decisions do not exist', async () => {
    world().learn({ 'nothing planned': [{ text: 'No plan.' }] })
    await using chat = await world().chat()
    expect(await chat.send('nothing planned', { plan_decision: 'reject' })).toMatchObject({ code: 'ask_not_pending' })
    expect(await chat.send('nothing planned', { plan_decision: 'approve' })).toMatchObject({ code: 'invalid_payload' })
    expect(await chat.messages()).toEqual([])
  })
})
