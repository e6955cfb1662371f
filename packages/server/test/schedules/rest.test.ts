import type { CalendarEntry, ScheduledTask, ScheduledTaskRun } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { mint } from '../auth/visitors.ts'
import { askDatabase } from '../wire/beside.ts'
import { sharedWorld, STORES } from '../wire/world.ts'
import { makeTask, PATIENCE, runsOf, endedRuns, TASKS } from './tasks.ts'

const DAY = 86_400_000

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const one = async (id: string) => (await world().rest<ScheduledTask>('GET', `${TASKS}/${id}`)).body
  const patch = (id: string, body: object) => world().rest<ScheduledTask>('PATCH', `${TASKS}/${id}`, { body })

  test('[W11.6] a task is made with three fields, listed, read, changed, stopped, started and deleted', async () => {
    const body = { title: '每日报告', prompt: '生成今日数据摘要', cron: '0 9 * * *' }
    const made = await world().rest<ScheduledTask>('POST', TASKS, { body })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      ...{ ...body, id: expect.stringMatching(/^task_[0-9a-f]{24}$/) },
      timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...{ enabled: true, expires_at: null, skip_confirmations: false, model: null },
      ...{ next_run_at: expect.any(String), created_at: expect.any(String), updated_at: expect.any(String) },
    })
    const { id } = made.body
    const { body: list } = await world().rest<ScheduledTask[]>('GET', TASKS)
    expect(list.find((task) => task.id === id)).toEqual(made.body)
    expect(await one(id)).toEqual(made.body)

    const change = { title: 'Nightly', cron: '30 22 * * *', timezone: 'Asia/Shanghai', model: 'fake-model' }
    const changed = await patch(id, change)
    expect([changed.status, changed.body]).toMatchObject([200, change])
    expect(changed.body.next_run_at).toMatch(/T14:30:00\.000Z$/)
    expect((await patch(id, { model: null })).body).toMatchObject({ ...change, model: null })

    const stopped = await world().rest<ScheduledTask>('POST', `${TASKS}/${id}/stop`)
    expect([stopped.status, stopped.body]).toMatchObject([200, { enabled: false, next_run_at: null }])
    const started = await world().rest<ScheduledTask>('POST', `${TASKS}/${id}/start`)
    expect([started.status, started.body]).toMatchObject([
      200,
      { enabled: true, next_run_at: changed.body.next_run_at },
    ])
    expect(await runsOf(world(), id)).toEqual([])
    const deleted = await world().rest('DELETE', `${TASKS}/${id}`)
    expect([deleted.status, deleted.body]).toEqual([204, ''])
    expect((await world().rest('GET', `${TASKS}/${id}`)).status).toBe(404)
    expect(world().errors).toEqual([])
  })

  test('[W11.6] run now: a run that is due at no time; a second is refused while it is active; its session outlives the task', async () => {
    const gate = `now ${store}`
    world().learn({ 'Right now': [{ calls: [{ name: 'Look', arguments: { name: gate } }] }, { text: 'Done.' }] })
    const task = await makeTask(world(), { title: 'Now', prompt: 'Right now', enabled: false })
    const { status, body: run } = await world().rest<ScheduledTaskRun>('POST', `${TASKS}/${task.id}/run`)
    expect(status).toBe(202)
    expect(run).toEqual({
      ...{ id: expect.stringMatching(/^run_/), task_id: task.id, session_id: expect.stringMatching(/^sess_/) },
      ...{ status: 'running', fate: null, error: null, due_at: null, due_before: null },
      ...{ triggered_at: expect.any(String), finished_at: null },
    })
    await world().gates.reached(gate)
    const again = await world().rest('POST', `${TASKS}/${task.id}/run`)
    expect([again.status, again.body]).toMatchObject([409, { code: 'session_busy', session_id: run.session_id }])
    world().gates.open(gate)
    const [ended] = await endedRuns(world(), task.id, 1)
    expect(ended).toMatchObject({ ...run, status: 'completed', fate: 'ran', finished_at: expect.any(String) })
    const strange = await world().rest('POST', `${TASKS}/${task.id}/run`, { body: { prompt: 'Something else' } })
    expect([strange.status, strange.body['detail']]).toEqual([
      422,
      expect.stringContaining('prompt: There is no such field'),
    ])

    await world().rest('DELETE', `${TASKS}/${task.id}`)
    expect(await world().session(run.session_id)).toMatchObject({ intent: 'Now', status: 'completed' })
    expect((await world().messages(run.session_id)).length).toBeGreaterThan(1)
  })

  test('[W11.6] of many who have it run at once one does, the others are told that it runs', async () => {
    world().learn({ 'Only one': [{ text: 'One.', delayMs: 500 }] })
    const task = await makeTask(world(), { prompt: 'Only one' })
    const answers = await Promise.all(Array.from({ length: 8 }, () => world().rest('POST', `${TASKS}/${task.id}/run`)))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([202, ...Array<number>(7).fill(409)])
    await endedRuns(world(), task.id, 1)
    expect(world().requests('Only one')).toHaveLength(1)
  })

  test('[W11.6] runs are a bare list, newest first, by pages; no more than a thousand are kept', async () => {
    world().learn({ 'Once more': [{ text: 'Yes.' }] })
    const task = await makeTask(world(), { prompt: 'Once more' })
    const values = Array.from({ length: 1_005 }, (_, n) => `('${task.id}', ${n}, 'run_${n}', 'skipped', ${n})`)
    await askDatabase(
      world(),
      `INSERT INTO slots (task_id, slot, run_record_id, fate, claimed_at) VALUES ${values.join(', ')}`,
    )
    const { body: run } = await world().rest<ScheduledTaskRun>('POST', `${TASKS}/${task.id}/run`)
    const page = async (query: string) => {
      const { body } = await world().rest<ScheduledTaskRun[]>('GET', `${TASKS}/${task.id}/runs?${query}`)
      return body.map(({ id }) => id)
    }
    expect(await page('limit=2')).toEqual([run.id, 'run_1004'])
    expect(await page('limit=2&offset=2')).toEqual(['run_1003', 'run_1002'])
    expect(await page('limit=5&offset=998')).toEqual(['run_7', 'run_6'])
    expect(await page('')).toHaveLength(20)
    for (const query of ['limit=0', 'limit=101', 'offset=-1', 'limit=x'])
      expect((await world().rest('GET', `${TASKS}/${task.id}/runs?${query}`)).status).toBe(422)
  })

  test('[W11.6] the calendar has the times of enabled tasks, as many as a thousand each', async () => {
    const noon = await makeTask(world(), { title: 'Noon', cron: '0 12 * * *', timezone: 'Europe/Paris' })
    const often = await makeTask(world(), { title: 'Often', cron: '* * * * *' })
    const ending = await makeTask(world(), { title: 'Ending', cron: '0 * * * *', expires_at: '2095-03-27T02:30:00Z' })
    const off = await makeTask(world(), { title: 'Off', enabled: false })
    const calendar = async (from: string, to: string) =>
      world().rest<CalendarEntry[]>('GET', `${TASKS}/calendar?from=${from}&to=${to}`)
    const { status, body } = await calendar('2095-03-26', '2095-03-28T12:00:00Z')
    expect(status).toBe(200)
    const times = (id: string) => body.find(({ task_id }) => task_id === id)?.occurrences
    expect(times(noon.id)).toEqual(
      ['2095-03-26T11:00', '2095-03-27T10:00', '2095-03-28T10:00'].map((at) => `${at}:00.000Z`),
    )
    expect(times(often.id)).toHaveLength(1_000)
    expect(times(often.id)![0]).toBe('2095-03-26T00:00:00.000Z')
    expect(times(ending.id)!.at(-1)).toBe('2095-03-27T02:00:00.000Z')
    expect(times(off.id)).toBeUndefined()
    const bad = [
      ['2095-03-26', ''],
      ['soon', '2095-03-26'],
      ['2095-03-27', '2095-03-26'],
      ['2095-01-01', '2095-04-04'],
    ] as const
    for (const [from, to] of bad) expect([from, to, (await calendar(from, to)).status]).toEqual([from, to, 422])
    for (const { id } of [noon, often, ending, off]) await world().rest('DELETE', `${TASKS}/${id}`)
  })

  const ROUTES = [
    ['POST', ''],
    ['GET', ''],
    ['GET', '/calendar?from=2030-01-01&to=2030-01-02'],
    ['GET', '/:id'],
    ['PATCH', '/:id'],
    ['DELETE', '/:id'],
    ['POST', '/:id/start'],
    ['POST', '/:id/stop'],
    ['POST', '/:id/run'],
    ['GET', '/:id/runs'],
  ] as const

  test('[W11.6] every route wants somebody who is known, gives nobody what is not theirs, and is not for visitors', async () => {
    const task = await makeTask(world(), { title: 'Mine' })
    const { token: visitor } = await mint(world(), `visitor ${store}`)
    for (const [method, path] of ROUTES) {
      const url = TASKS + path.replace(':id', task.id)
      const ask = (token: string | null) =>
        world().rest(method, url, { token, body: method === 'GET' ? undefined : {} })
      for (const token of [null, 'sk-nobody', world().expiredToken])
        expect([method, path, (await ask(token)).status]).toEqual([method, path, 401])
      expect([method, path, (await ask(visitor)).body['code']]).toEqual([method, path, 'forbidden'])
      const foreign = await ask(world().strangersKey)
      if (path.startsWith('/:id')) expect(foreign).toMatchObject({ status: 404, body: { code: 'not_found' } })
      else if (method === 'GET') expect(foreign.body).toEqual([])
      if (path.startsWith('/:id'))
        expect(
          (
            await world().rest(method, TASKS + path.replace(':id', 'task_none'), {
              body: method === 'GET' ? undefined : {},
            })
          ).status,
        ).toBe(404)
    }
    expect(await one(task.id)).toEqual(task)
    expect(await runsOf(world(), task.id)).toEqual([])
  })

  const good = { title: 'T', prompt: 'P', cron: '0 9 * * *', timezone: 'UTC' }
  const BAD: [string, object][] = [
    ['title', { title: '' }],
    ['title', { title: 'x'.repeat(201) }],
    ['title', { title: 7 }],
    ['prompt', { prompt: '' }],
    ['prompt', { prompt: 'x'.repeat(32_001) }],
    ['prompt', { prompt: 'a\0b' }],
    ['cron', { cron: '' }],
    ['cron', { cron: '0 9 * *' }],
    ['cron', { cron: '0 0 9 * * *' }],
    ['cron', { cron: '@daily' }],
    ['cron', { cron: '? * * * *' }],
    ['cron', { cron: '60 * * * *' }],
    ['cron', { cron: '*/0 * * * *' }],
    ['cron', { cron: '0 0 30 2 *' }],
    ['cron', { cron: '0 0 * * mandag' }],
    ['cron', { cron: `${'1,'.repeat(50)}1 * * * *` }],
    ['cron', { cron: '0 9 * * *\n* * * * *' }],
    ['timezone', { timezone: 'Mars/Base' }],
    ['timezone', { timezone: '+08:00' }],
    ['timezone', { timezone: '../../etc/passwd' }],
    ['timezone', { timezone: 'x'.repeat(101) }],
    ['expires_at', { expires_at: 'tomorrow' }],
    ['expires_at', { expires_at: '2001-01-01T00:00:00Z' }],
    ['enabled', { enabled: 'yes' }],
    ['skip_confirmations', { skip_confirmations: 1 }],
    ['model', { model: 'x'.repeat(201) }],
  ]

  test.each(BAD)(
    '[W11.6] a bad %s is 422, at the beginning and later, and changes nothing: %j',
    async (field, wrong) => {
      const body = { ...good, ...wrong }
      const made = await world().rest('POST', TASKS, { body })
      expect([made.status, made.body['code']]).toEqual([422, 'invalid_payload'])
      expect(made.body['detail']).toMatch(new RegExp(`^${field}: `))
      const task = await makeTask(world(), { title: 'Steady' })
      const changed = await patch(task.id, wrong)
      expect([changed.status, changed.body]).toMatchObject([422, { detail: expect.stringMatching(`^${field}: `) }])
      expect(await one(task.id)).toEqual(task)
      await world().rest('DELETE', `${TASKS}/${task.id}`)
    },
  )

  test('[W11.6] a model that is not there is said, and a field that nobody knows is named', async () => {
    const gone = await world().rest('POST', TASKS, { body: { ...good, model: 'gone-model' } })
    expect([gone.status, gone.body['code']]).toEqual([422, 'model_not_available'])
    const odd = await world().rest<ScheduledTask & { ignored: string[] }>('POST', TASKS, {
      body: { ...good, colour: 'red' },
    })
    expect([odd.status, odd.body.ignored]).toEqual([201, ['colour']])
    expect((await patch(odd.body.id, { model: 'gone-model' })).body).toMatchObject({ code: 'model_not_available' })
    for (const missing of ['title', 'prompt', 'cron'] as const) {
      const { [missing]: _left, ...rest } = good
      expect((await world().rest('POST', TASKS, { body: rest })).status).toBe(422)
    }
    expect((await world().rest('POST', TASKS, { body: '{"title":' })).status).toBe(400)
  })

  test('[W7.9] skip_confirmations is for the prompt it was said for: another prompt clears it', async () => {
    const task = await makeTask(world(), { skip_confirmations: true })
    expect(task.skip_confirmations).toBe(true)
    expect((await patch(task.id, { title: 'Other', cron: '0 10 * * *' })).body.skip_confirmations).toBe(true)
    expect((await patch(task.id, { prompt: task.prompt })).body.skip_confirmations).toBe(true)
    expect((await patch(task.id, { prompt: 'Another' })).body.skip_confirmations).toBe(false)
    expect((await patch(task.id, { prompt: task.prompt })).body.skip_confirmations).toBe(false)
    expect((await patch(task.id, { prompt: 'A third', skip_confirmations: true })).body.skip_confirmations).toBe(true)
    // Whoever writes another prompt into the database has no consent to it, nor has another user.
    await askDatabase(world(), `UPDATE schedules SET prompt = 'Forged' WHERE id = '${task.id}'`)
    expect((await one(task.id)).skip_confirmations).toBe(false)
  })

  test('[W11.6] a user has at most a hundred tasks, also when the last are made at once; a calendar of them is bounded', async () => {
    const { body: before } = await world().rest<ScheduledTask[]>('GET', TASKS)
    const make = () => world().rest('POST', TASKS, { body: { ...good, cron: '* * * * *', enabled: true } })
    const room = 100 - before.length
    for (let n = 0; n < room - 2; n++) expect((await make()).status).toBe(201)
    const last = await Promise.all(Array.from({ length: 6 }, make))
    expect(last.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 201, 422, 422, 422, 422])
    expect(last.find(({ status }) => status === 422)!.body['detail']).toContain('100 scheduled tasks')
    const from = new Date().toISOString()
    const to = new Date(Date.now() + 90 * DAY).toISOString()
    const { body } = await world().rest<CalendarEntry[]>('GET', `${TASKS}/calendar?from=${from}&to=${to}`)
    const all = body.flatMap(({ occurrences }) => occurrences)
    expect([body.length > 90, all.length <= 10_000, all.length > 5_000]).toEqual([true, true, true])
    const { body: tasks } = await world().rest<ScheduledTask[]>('GET', TASKS)
    for (const { id } of tasks) await world().rest('DELETE', `${TASKS}/${id}`)
    await expect.poll(async () => (await world().rest<ScheduledTask[]>('GET', TASKS)).body, PATIENCE).toEqual([])
  })
})
