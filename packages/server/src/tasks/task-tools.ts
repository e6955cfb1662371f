import { randomBytes } from 'node:crypto'
import { columnText, taskSchema } from '@parley/protocol/schemas'
import type { Task } from '@parley/protocol'
import { z } from 'zod'
import type { JsonObject } from '../ports.ts'
import { runSql } from '../store/work.ts'
import { defineEffect } from '../tools/define-tool.ts'
import { progressOf } from './plan.ts'
import { insertTask, readTasks } from '../store/task-rows.ts'
import { tasksChanged } from './task-list.ts'
import { TOOL_NAMES } from '../words/tool-names.ts'

const MAX_TASKS = 200
const title = columnText.trim().min(1).max(200)
const description = columnText.max(4_000)

export const taskCreate = defineEffect({
  name: 'TaskCreate',
  display_name: TOOL_NAMES.TaskCreate,
  description:
    'Add a task to the list that the user sees. Use it for work of several steps, one task a step, before you begin.',
  input: z.object({ title, description: description.optional() }),
  effect: (input, session_id) => {
    const now = Date.now()
    const id = `task_${randomBytes(6).toString('hex')}`
    return function* () {
      const known = yield* readTasks(session_id)
      if (known.length >= MAX_TASKS) return { result: `The list is full: it holds ${MAX_TASKS} tasks.`, isError: true }
      // The list is read in this order, also of tasks that are made within a millisecond.
      const last = known.at(-1)
      const at = new Date(last ? Math.max(now, Date.parse(last.created_at) + 1) : now).toISOString()
      const task: Task = {
        id,
        title: input.title,
        description: input.description ?? null,
        status: 'pending',
        created_at: at,
        updated_at: at,
      }
      yield* insertTask(session_id, task)
      return yield* tasksChanged(session_id, task)
    }
  },
})

export const taskUpdate = defineEffect({
  name: 'TaskUpdate',
  display_name: TOOL_NAMES.TaskUpdate,
  description: 'Change a task of the list: set it in_progress when you begin it, completed as soon as it is done.',
  input: z.object({
    id: columnText.min(1),
    status: taskSchema.shape.status.optional(),
    title: title.optional(),
    description: description.optional(),
  }),
  effect: ({ id, status, title, description }, session_id) => {
    const now = new Date().toISOString()
    return function* () {
      const rows = yield* runSql(
        `UPDATE tasks SET status = coalesce(?, status), title = coalesce(?, title), description = coalesce(?, description), updated_at = ?
          WHERE session_id = ? AND id = ? RETURNING id`,
        [status ?? null, title ?? null, description ?? null, now, session_id, id],
      )
      if (rows.length === 0) return { result: `There is no task ${id}. TaskList shows what there is.`, isError: true }
      const changed = yield* tasksChanged(session_id, { ok: true, id })
      const progress = yield* progressOf(session_id, id)
      return progress ? { ...changed, blocks: [{ type: 'plan_status', content: progress }] } : changed
    }
  },
})

export const taskList = defineEffect({
  name: 'TaskList',
  display_name: TOOL_NAMES.TaskList,
  description: 'Show the tasks of the list with their ids and where each stands.',
  readOnly: true,
  input: z.object({}),
  effect: (_input, session_id) =>
    function* () {
      return { result: { tasks: (yield* readTasks(session_id)) as unknown as JsonObject[] } }
    },
})
