import type { ScheduledTask, ScheduledTaskRun } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { askDatabase } from '../wire/beside.ts'
import { askCall, STORES } from '../wire/world.ts'
import { setTime, timedWorld } from './settable-time.ts'
import { endTask, makeTask, PATIENCE, runsOf, endedRuns, TASKS } from './tasks.ts'

describe.each(STORES)('on %s', (store) => {
  const world = timedWorld(store)
  /** Each test has a year of its own, so that time never goes back. */
  let year = 2030
  const begin = async (monthAndTime: string) => setTime(world(), `${++year}-${monthAndTime}Z`)
  const at = (monthAndTime: string) => new Date(`${year}-${monthAndTime}Z`).toISOString()
  const running = async (task: ScheduledTask) => (await runsOf(world(), task.id)).filter(({ fate }) => fate === null)

  test('[W10.19] at the due time a session of that title begins with the prompt, once', async () => {
    await begin('03-01T08:59:58')
    world().learn({ 'Report now': [{ text: 'All is well.' }] })
    const task = await makeTask(world())
    expect(task).toMatchObject({ enabled: true, next_run_at: at('03-01T09:00:00') })
    const [run] = await endedRuns(world(), task.id, 1)
    expect(run).toMatchObject({
      ...{ task_id: task.id, status: 'completed', fate: 'ran', error: null },
      ...{ due_at: at('03-01T09:00:00'), due_before: null },
    })
    expect(Date.parse(run!.triggered_at)).toBeGreaterThanOrEqual(Date.parse(run!.due_at!))
    expect(Date.parse(run!.finished_at!)).toBeGreaterThanOrEqual(Date.parse(run!.triggered_at))
    expect(await world().session(run!.session_id)).toMatchObject({ intent: 'Report', status: 'completed' })
    const turns = await world().messages(run!.session_id)
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(world().requests('Report now')).toHaveLength(1)
    expect((await world().rest<ScheduledTask>('GET', `${TASKS}/${task.id}`)).body.next_run_at).toBe(
      at('03-02T09:00:00'),
    )
    await endTask(world(), task)
    expect(world().errors).toEqual([])
  })

  // New York, 2027: clocks go from 02:00 to 03:00 on March 14th, and from 02:00 back to 01:00 on November 7th.
  test.each([
    ['30 2 * * *', '2027-03-14T05:00:00Z', ['2027-03-14T07:00', '2027-03-15T06:30']],
    ['30 1 * * *', '2027-11-07T04:00:00Z', ['2027-11-07T05:30', '2027-11-08T06:30']],
    ['0 * * * *', '2027-11-07T04:30:00Z', ['2027-11-07T05:00', '2027-11-07T06:00', '2027-11-07T07:00']],
    ['0 9 * * *', '2027-11-06T12:00:00Z', ['2027-11-06T13:00', '2027-11-07T14:00']],
  ])('[W10.19] through a change of the clocks %s is due when it should be, each time once', async (cron, from, due) => {
    await setTime(world(), from)
    const prompt = `Look at the clock: ${cron} ${from}`
    world().learn({ [prompt]: [{ text: 'Looked.' }] })
    const task = await makeTask(world(), { cron, prompt, timezone: 'America/New_York' })
    for (const [done, slot] of due.entries()) {
      const { next_run_at } = (await world().rest<ScheduledTask>('GET', `${TASKS}/${task.id}`)).body
      expect(next_run_at).toBe(`${slot}:00.000Z`)
      await setTime(world(), `${slot}:00Z`)
      await endedRuns(world(), task.id, done + 1)
    }
    const runs = (await runsOf(world(), task.id)).reverse()
    expect(runs.map(({ due_at, fate }) => [due_at, fate])).toEqual(due.map((slot) => [`${slot}:00.000Z`, 'ran']))
    await endTask(world(), task)
  })

  test('[W10.19] what was due while nobody was there is missed and says so; only the last runs, if it is fresh', async () => {
    await begin('05-01T08:30:00')
    world().learn({ 'Every ten minutes': (_, round) => ({ text: `Round ${round}.` }) })
    const often = await makeTask(world(), { cron: '*/10 * * * *', prompt: 'Every ten minutes' })
    const stale = await makeTask(world(), { cron: '45 8 * * *', prompt: 'Every ten minutes' })
    await world().stop()
    await setTime(world(), at('05-01T11:04:00'))
    await world().start()
    const runs = await endedRuns(world(), often.id, 2)
    expect(runs).toMatchObject([
      {
        fate: 'missed',
        status: 'failed',
        session_id: '',
        due_at: at('05-01T08:40:00'),
        due_before: at('05-01T11:00:00'),
      },
      { fate: 'ran', status: 'completed', due_at: at('05-01T11:00:00') },
    ])
    expect(runs[0]!.error).toMatch(/^missed: /)
    expect(await endedRuns(world(), stale.id, 1)).toMatchObject([
      { fate: 'missed', due_at: at('05-01T08:45:00'), due_before: at('05-02T08:45:00') },
    ])
    await endTask(world(), often)
    await endTask(world(), stale)
  })

  test('[W10.19] a year of minutes that were missed is one record, and costs no more', async () => {
    await begin('06-01T00:00:30')
    world().learn({ 'Every minute': [{ text: 'Tick.' }] })
    const task = await makeTask(world(), { cron: '* * * * *', prompt: 'Every minute' })
    await world().stop()
    await begin('06-01T00:00:30')
    await world().start()
    const [missed, ran] = await endedRuns(world(), task.id, 2)
    expect(missed).toMatchObject({ fate: 'missed', due_before: at('06-01T00:00:00') })
    expect(ran).toMatchObject({ fate: 'ran', due_at: at('06-01T00:00:00') })
    await endTask(world(), task)
  })

  test('[W10.19] while the last run is active the next time is skipped, in the words of the specification', async () => {
    await begin('07-01T08:59:59')
    const look = { name: 'Look', arguments: { name: `slow ${store}` } }
    world().learn({ 'Take long': [{ calls: [look] }, { text: 'At last.' }] })
    const task = await makeTask(world(), { cron: '0 * * * *', prompt: 'Take long' })
    await world().gates.reached(`slow ${store}`)
    await setTime(world(), at('07-01T10:00:00'))
    await expect.poll(async () => (await runsOf(world(), task.id)).length, PATIENCE).toBe(2)
    const [skipped] = await runsOf(world(), task.id)
    expect(skipped).toMatchObject({
      ...{ status: 'failed', fate: 'skipped', session_id: '', due_at: at('07-01T10:00:00') },
      error: 'skipped: previous run still active',
    })
    world().gates.open(`slow ${store}`)
    expect(await endedRuns(world(), task.id, 2)).toMatchObject([{ fate: 'ran' }, { fate: 'skipped' }])
    await endTask(world(), task)
  })

  test('[W10.19] a question leaves the run running until somebody answers', async () => {
    await begin('08-01T08:59:59')
    world().learn({ 'Ask me': [{ text: 'Well:', calls: [askCall()] }, { text: 'Done so.' }] })
    const task = await makeTask(world(), { prompt: 'Ask me' })
    await expect.poll(async () => (await running(task)).length, PATIENCE).toBe(1)
    const [{ session_id }] = (await running(task)) as [ScheduledTaskRun]
    await expect.poll(async () => (await world().session(session_id)).status, PATIENCE).toBe('waiting_for_input')
    await using chat = await world().chat({ session_id })
    expect(await running(task)).toMatchObject([{ status: 'running', finished_at: null }])
    await chat.answer()
    expect(await endedRuns(world(), task.id, 1)).toMatchObject([{ session_id, status: 'completed', fate: 'ran' }])
    await endTask(world(), task)
  })

  test('[W10.19] a run that waits ends when the next is due, which runs, or after a day', async () => {
    await begin('09-01T08:59:59')
    world().learn({ 'Ask in vain': [{ text: 'Well:', calls: [askCall()] }] })
    const task = await makeTask(world(), { prompt: 'Ask in vain' })
    const waits = async () => {
      const { session_id } = (await running(task))[0] ?? {}
      const status = session_id && (await world().session(session_id)).status
      return [(await runsOf(world(), task.id)).length, status]
    }
    await expect.poll(waits, PATIENCE).toEqual([1, 'waiting_for_input'])
    const [first] = (await running(task)) as [ScheduledTaskRun]
    await setTime(world(), at('09-02T09:00:00'))
    await expect.poll(waits, PATIENCE).toEqual([2, 'waiting_for_input'])
    const ended = (await runsOf(world(), task.id)).find(({ id }) => id === first.id)
    expect(ended).toMatchObject({ status: 'failed', fate: 'failed', error: expect.stringMatching(/^expired: /) })
    expect((await world().session(first.session_id)).status).toBe('interrupted')
    await using chat = await world().chat({ session_id: first.session_id })
    expect((await chat.messages()).flatMap(({ tool_calls }) => tool_calls)).toMatchObject([{ status: 'cancelled' }])

    // Now nothing is due any more.
    await endTask(world(), task)
    await setTime(world(), at('09-03T08:59:00'))
    await expect.poll(waits, PATIENCE).toEqual([2, 'waiting_for_input'])
    await setTime(world(), at('09-03T09:01:00'))
    const [, last] = await endedRuns(world(), task.id, 2)
    expect(last).toMatchObject({ fate: 'failed', error: 'expired: nobody answered within 24 hours' })
    expect((await world().session(last!.session_id)).status).toBe('interrupted')
  })

  test('[W7.9] nothing is due after expires_at, nor is it while the task is stopped', async () => {
    await begin('10-01T08:30:00')
    world().learn({ 'Until nine': [{ text: 'Yes.' }, { text: 'Yes.' }] })
    const task = await makeTask(world(), {
      cron: '*/30 * * * *',
      prompt: 'Until nine',
      expires_at: at('10-01T09:00:00'),
    })
    await setTime(world(), at('10-01T09:00:01'))
    expect(await endedRuns(world(), task.id, 1)).toMatchObject([{ fate: 'ran', due_at: at('10-01T09:00:00') }])
    expect((await world().rest<ScheduledTask>('GET', `${TASKS}/${task.id}`)).body).toMatchObject({
      ...{ enabled: true, next_run_at: null },
    })
    const stopped = await makeTask(world(), { cron: '*/30 * * * *', prompt: 'Until nine', enabled: false })
    const other = await makeTask(world(), { cron: '*/30 * * * *', prompt: 'Until nine' })
    await setTime(world(), at('10-01T09:30:00'))
    await endedRuns(world(), other.id, 1)
    expect(await runsOf(world(), stopped.id)).toEqual([])
    expect(await runsOf(world(), task.id)).toHaveLength(1)
    const run = await world().rest('POST', `${TASKS}/${task.id}/run`)
    expect([run.status, run.body['detail']]).toEqual([
      422,
      'expires_at: The task has expired; nothing runs after that.',
    ])
    await endTask(world(), other)
  })

  test('[W10.19] a slot that cannot begin fails with a reason: a model that is gone, a user who is', async () => {
    await begin('12-01T08:59:50')
    const [model, owner] = [await makeTask(world()), await makeTask(world())]
    await askDatabase(world(), `UPDATE schedules SET model = 'gone-model' WHERE id = '${model.id}'`)
    await askDatabase(world(), `UPDATE schedules SET user_id = 'user_gone' WHERE id = '${owner.id}'`)
    await setTime(world(), at('12-01T09:00:00'))
    expect(await endedRuns(world(), model.id, 1)).toMatchObject([
      { fate: 'failed', session_id: '', error: expect.stringMatching(/^model_not_available: .*gone-model/) },
    ])
    const fates = () => askDatabase(world(), `SELECT fate, error FROM slots WHERE task_id = '${owner.id}'`)
    await expect
      .poll(fates, PATIENCE)
      .toMatchObject([{ fate: 'failed', error: expect.stringMatching(/^owner_gone: /) }])
    await askDatabase(world(), `DELETE FROM schedules WHERE id = '${owner.id}'`)
    await endTask(world(), model)
  })

  test('[W10.19] a run that fails, is stopped, or whose session is deleted, has failed and says why', async () => {
    await begin('01-01T08:59:50')
    world().learn({
      'Fail me': [{ error: { status: 400, body: { error: { message: 'no' } } } }],
      'Stop me': [{ hang: 'before' }],
      'Delete me': [{ hang: 'before' }],
    })
    const [failing, stopped, deleted] = [
      await makeTask(world(), { prompt: 'Fail me' }),
      await makeTask(world(), { prompt: 'Stop me' }),
      await makeTask(world(), { prompt: 'Delete me' }),
    ]
    await setTime(world(), at('01-01T09:00:00'))
    expect(await endedRuns(world(), failing.id, 1)).toMatchObject([
      { status: 'failed', fate: 'failed', error: expect.stringMatching(/^llm_error: /) },
    ])
    for (const prompt of ['Stop me', 'Delete me'])
      await expect.poll(() => world().requests(prompt).length, PATIENCE).toBe(1)
    const [toStop] = (await running(stopped)) as [ScheduledTaskRun]
    await using chat = await world().chat({ session_id: toStop.session_id })
    await chat.stop()
    const [toDelete] = (await running(deleted)) as [ScheduledTaskRun]
    await world().rest('DELETE', `/api/sessions/${toDelete.session_id}`)
    expect(await endedRuns(world(), stopped.id, 1)).toMatchObject([{ fate: 'failed', error: 'interrupted' }])
    expect(await endedRuns(world(), deleted.id, 1)).toMatchObject([
      { fate: 'failed', error: expect.stringMatching(/^session_deleted: /) },
    ])
    const { body: told } = await world().rest('GET', `/api/scheduled-tasks/${deleted.id}/runs`, {
      headers: { 'accept-language': 'zh' },
    })
    expect(told).toMatchObject([{ error: 'session_deleted: 所在会话已被删除' }])
    for (const task of [failing, stopped, deleted]) await endTask(world(), task)
  })
})
