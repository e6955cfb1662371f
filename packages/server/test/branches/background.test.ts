import { expect, test } from 'vitest'
import { newTask, insertBackgroundTask, endTask } from '../../src/background/background-rows.ts'
import { on, PLACES } from '../compaction/places.ts'

const USER = { user_id: 'user_1' }

test.each(PLACES)('[W12.1] on %s, nothing is taken back while a command works in the background', async (place) => {
  await using rig = await on(place)
  const one = rig.instance()
  const { id } = await one.create()
  await one.events(await one.send(id, 'hello'))
  const started_at = new Date().toISOString()
  const task = newTask({ task_id: 'bg_1', session_id: id, instance: 'elsewhere', command: 'sleep 9', started_at })
  await rig.engine.write(() => insertBackgroundTask(task, one.journal))
  const [checkpoint] = await one.sessions.checkpoints(USER, id)
  const to = { checkpoint_id: checkpoint!.checkpoint_id, restore: 'conversation' as const }
  const busy = { code: 'session_busy', details: { task_id: 'bg_1' } }
  await expect(one.sessions.rewind(USER, id, to)).rejects.toMatchObject(busy)
  await expect(one.sessions.switchBranch(USER, id, to)).rejects.toMatchObject(busy)
  expect(await one.messages(id)).toHaveLength(2)
  const end = { status: 'completed' as const, exit_code: 0, failure: null, finished_at: started_at }
  await rig.engine.write(() => endTask('bg_1', end, one.journal))
  expect(await one.sessions.rewind(USER, id, to)).toMatchObject({ done: { removed_turns: 2 } })
  expect(await one.messages(id)).toEqual([])
})
