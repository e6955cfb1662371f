import type { Confirmation } from '@parley/protocol'
import type { ScheduledTask } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { mint } from '../auth/visitors.ts'
import { sharedWorld, STORES } from '../wire/world.ts'
import { makeTask, PATIENCE, endedRuns, TASKS } from './tasks.ts'

const TOOLS = ['ScheduleTask', 'CancelScheduledTask', 'ListScheduledTasks']
const weekdays = { title: 'Standup', prompt: 'Summarise yesterday', cron: '0 9 * * 1-5', timezone: 'Europe/Paris' }

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const all = async () => (await world().rest<ScheduledTask[]>('GET', TASKS)).body
  const call = (name: string, args: object) => ({ name, arguments: args })

  test('[D5] a task is made from a conversation, once somebody has agreed to exactly that, and without skip_confirmations', async () => {
    const message = `every weekday at 9 ${store}`
    world().learn({
      [message]: [{ calls: [call('ScheduleTask', { ...weekdays, skip_confirmations: true })] }, { text: 'Done.' }],
    })
    await using chat = await world().chat()
    await chat.run(message)
    expect((await chat.session()).status).toBe('waiting_for_input')
    expect(await all()).toEqual([])
    const { body } = await world().rest<{ items: Confirmation[] }>('GET', '/api/confirmations?status=pending')
    const item = body.items.find(({ session_id }) => session_id === chat.session_id)!
    expect(item).toMatchObject({ tool_name: 'ScheduleTask', risk: 'low' })
    expect(item.preview).toContain('Standup: 0 9 * * 1-5 (Europe/Paris)')
    expect(item.preview).toContain('Summarise yesterday')
    await world().rest('POST', `/api/confirmations/${item.id}`, { body: { decision: 'approve' } })
    await expect.poll(async () => (await chat.session()).status, PATIENCE).toBe('completed')
    const [task] = await all()
    expect(task).toMatchObject({
      ...weekdays,
      enabled: true,
      skip_confirmations: false,
      next_run_at: expect.any(String),
    })
    const results = (await chat.messages()).flatMap(({ tool_calls }) => tool_calls)
    expect(results[0]).toMatchObject({
      status: 'done',
      result: { ok: true, id: task!.id, next_run_at: task!.next_run_at },
    })

    const listing = `what is scheduled ${store}`
    world().learn({ [listing]: [{ calls: [call('ListScheduledTasks', {})] }, { text: 'This.' }] })
    await chat.run(listing)
    const listed = (await chat.messages()).flatMap(({ tool_calls }) => tool_calls).at(-1)
    expect(listed).toMatchObject({ status: 'done', result: { tasks: [{ id: task!.id, title: 'Standup' }] } })

    const cancelling = `no more of that ${store}`
    world().learn({ [cancelling]: [{ calls: [call('CancelScheduledTask', { id: task!.id })] }, { text: 'Gone.' }] })
    await chat.run(cancelling)
    expect(await all()).toHaveLength(1)
    await chat.answer()
    expect(await all()).toEqual([])
  })

  test.each([
    ['a cron that is none', { cron: 'whenever' }, 'Five fields are needed'],
    ['a time that never comes', { cron: '0 0 30 2 *' }, 'never comes'],
    ['a time zone that is none', { timezone: 'Nowhere' }, 'no time zone Nowhere'],
    ['a time that is over', { expires_at: '2001-01-01T00:00:00Z' }, 'in the past'],
  ])('[D5] %s is told to the model, in one sentence, and nothing is made', async (name, wrong, words) => {
    const message = `${name} ${store}`
    world().learn({ [message]: [{ calls: [call('ScheduleTask', { ...weekdays, ...wrong })] }, { text: 'Sorry.' }] })
    await using chat = await world().chat()
    await chat.run(message)
    await chat.answer()
    const [made] = (await chat.messages()).flatMap(({ tool_calls }) => tool_calls)
    expect(made).toMatchObject({ status: 'error', result: expect.stringContaining(words) })
    expect(await all()).toEqual([])
  })

  test("[D5] somebody else's task cannot be cancelled", async () => {
    const body = { title: 'Theirs', prompt: 'x', cron: '0 9 * * *' }
    const { body: theirs } = await world().rest<ScheduledTask>('POST', TASKS, { body, token: world().strangersKey })
    const message = `cancel theirs ${store}`
    world().learn({ [message]: [{ calls: [call('CancelScheduledTask', { id: theirs.id })] }, { text: 'Sorry.' }] })
    await using chat = await world().chat()
    await chat.run(message)
    await chat.answer()
    const [made] = (await chat.messages()).flatMap(({ tool_calls }) => tool_calls)
    expect(made).toMatchObject({ status: 'error', result: expect.stringContaining('no scheduled task') })
    const left = await world().rest('GET', `${TASKS}/${theirs.id}`, { token: world().strangersKey })
    expect(left.status).toBe(200)
  })

  test('[D7] visitors are offered none of these tools, the account is', async () => {
    const message = `what can you do ${store}`
    world().learn({ [message]: [{ text: 'A lot.' }, { text: 'Less.' }] })
    await using chat = await world().chat()
    await chat.run(message)
    const { token } = await mint(world(), `visitor ${store}`)
    const session_id = await world().newSession({}, token)
    await world().rest('POST', `/api/sessions/${session_id}/chat`, { body: { message }, token })
    const offered = world()
      .requests(message)
      .map(({ tools }) => TOOLS.filter((name) => JSON.stringify(tools).includes(`"${name}"`)))
    expect(offered).toEqual([TOOLS, []])
  })

  test('[D5] a scheduled run that nobody watches makes and cancels no tasks', async () => {
    const prompt = `multiply ${store}`
    world().learn({ [prompt]: [{ calls: [call('ScheduleTask', weekdays)] }, { text: 'Tried.' }] })
    const task = await makeTask(world(), { prompt, skip_confirmations: true })
    await world().rest('POST', `${TASKS}/${task.id}/run`)
    const [run] = await endedRuns(world(), task.id, 1)
    const [made] = (await world().messages(run!.session_id)).flatMap(({ tool_calls }) => tool_calls)
    expect(made).toMatchObject({ status: 'error', result: 'A scheduled run cannot change scheduled tasks.' })
    expect((await all()).map(({ id }) => id)).toEqual([task.id])
    await world().rest('DELETE', `${TASKS}/${task.id}`)
  })
})
