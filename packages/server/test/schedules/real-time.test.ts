import { expect, test } from 'vitest'
import { STORES, World } from '../wire/world.ts'
import { endedRuns, makeTask } from './tasks.ts'

test(
  '[W10.19] by the clock on the wall, what is due every minute begins within moments of it',
  { timeout: 200_000 },
  async () => {
    await Promise.all(
      STORES.map(async (store) => {
        await using world = await World.open(store)
        world.learn({ 'What time is it?': [{ text: 'Late.' }] })
        const task = await makeTask(world, { cron: '* * * * *', prompt: 'What time is it?' })
        const due = Date.parse(task.next_run_at!)
        expect(due - Date.now()).toBeLessThanOrEqual(60_000)
        await expect.poll(() => Date.now() > due, { timeout: 90_000, interval: 500 }).toBe(true)
        const [run] = await endedRuns(world, task.id, 1)
        expect(run).toMatchObject({ fate: 'ran', due_at: task.next_run_at })
        const late = Date.parse(run!.triggered_at) - due
        expect(late).toBeGreaterThanOrEqual(0)
        expect(late).toBeLessThan(20_000)
        expect(world.errors).toEqual([])
      }),
    )
  },
)
