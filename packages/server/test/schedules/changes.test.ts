import { describe, expect, test } from 'vitest'
import { changeTask, createTask } from '../../src/schedules/change-tasks.ts'
import { slotsOf, toRun } from '../../src/schedules/slot-rows.ts'
import { movablePlaces } from '../store/movable-clock.ts'

describe.each(movablePlaces)('on %s', (_store, makePlace) => {
  test('[W10.19] what was due and not begun when its task was changed is missed, not lost', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    let count = 0
    const options = { engine, ids: { next: (prefix: string) => `${prefix}_${++count}` } }
    const now = Date.parse('2030-05-01T08:30:00Z')
    const at = (time: string) => Date.parse(`2030-05-01T${time}Z`)
    const setTime = (ms: number) => place.setClock(ms - Date.now())
    const change = (fields: object) =>
      engine.write(() => changeTask('user_1', { id: 'task_1', change: fields }, options))
    const reader = { language: 'en', audience: 'account' } as const
    const runs = async () =>
      (await engine.read(() => slotsOf('task_1', { limit: 9, offset: 0 }))).map((row) => toRun(row, reader))
    await setTime(now)
    const task = { title: 'T', prompt: 'P', cron: '0 9 * * *', timezone: 'UTC' }
    await engine.write(() => createTask('user_1', task, options))

    await setTime(at('09:00:02'))
    // Nothing about its times: whoever looks next begins it.
    expect((await change({ title: 'Other', enabled: true })).next_at).toBe(at('09:00:00'))
    expect(await runs()).toEqual([])
    expect((await change({ cron: '0 9,10 * * *' })).next_at).toBe(at('10:00:00'))
    expect(await runs()).toMatchObject([
      {
        status: 'failed',
        fate: 'missed',
        due_at: '2030-05-01T09:00:00.000Z',
        error: expect.stringMatching(/^missed: /),
      },
    ])
    await setTime(at('10:00:02'))
    expect((await change({ enabled: false })).next_at).toBeNull()
    expect((await runs()).map(({ due_at, fate }) => [due_at, fate])).toEqual([
      ['2030-05-01T10:00:00.000Z', 'missed'],
      ['2030-05-01T09:00:00.000Z', 'missed'],
    ])
    await setTime(at('10:30:00'))
    expect(await change({ enabled: true, expires_at: '2030-05-01T11:00:00+01:00' }).catch(String)).toContain('past')
    expect((await change({ enabled: true, expires_at: '2030-05-02T11:30:00+02:00' })).next_at).toBe(
      at('09:00:00') + 86_400_000,
    )
    expect(await runs()).toHaveLength(2)
  })
})
