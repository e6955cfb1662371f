import type { ScheduledTask, ScheduledTaskRun } from '@parley/protocol/rest'
import { expect } from 'vitest'
import type { World } from '../wire/world.ts'

export const TASKS = '/api/scheduled-tasks'

/** Long enough for a busy machine. */
export const PATIENCE = { timeout: 60_000, interval: 50 }

export async function makeTask(world: World, fields: object = {}): Promise<ScheduledTask> {
  const body = { title: 'Report', prompt: 'Report now', cron: '0 9 * * *', timezone: 'UTC', ...fields }
  const { status, body: task } = await world.rest<ScheduledTask>('POST', TASKS, { body })
  expect([status, task]).toMatchObject([201, {}])
  return task
}

/** Newest first. */
export async function runsOf(world: World, task_id: string): Promise<ScheduledTaskRun[]> {
  return (await world.rest<ScheduledTaskRun[]>('GET', `${TASKS}/${task_id}/runs?limit=100`)).body
}

/** The task's records, oldest first, once there are so many and none of them runs. */
export async function endedRuns(world: World, task_id: string, count: number): Promise<ScheduledTaskRun[]> {
  const areEnded = async () => {
    const runs = await runsOf(world, task_id)
    return [runs.length, runs.some(({ status }) => status === 'running')]
  }
  await expect.poll(areEnded, PATIENCE).toEqual([count, false])
  return (await runsOf(world, task_id)).reverse()
}

/** Nothing of it is due any more. */
export async function endTask(world: World, { id }: ScheduledTask): Promise<void> {
  await world.rest('POST', `${TASKS}/${id}/stop`)
}
