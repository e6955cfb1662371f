import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { needs, principalOf } from '../http/signed-in.ts'
import { readQuery } from '../http/ignored-fields.ts'
import { taskRecordSchema } from './background-rows.ts'
import { type BackgroundTasks, taskOutputSchema } from './background-tasks.ts'

export type BackgroundTaskRoutesOptions = {
  tasks: BackgroundTasks
  /** Throws `session_not_found` for a session that is not this user's. */
  demandSession: (principal: { user_id: string }, session_id: string) => Promise<unknown>
}

type OfSession = { Params: { session_id: string } }
type OneTask = { Params: { session_id: string; task_id: string } }

const ALL = '/api/sessions/:session_id/background-tasks'
const MAX_LINES = 10_000

const outputQuerySchema = z.object({ tail: z.coerce.number().int().min(1).max(MAX_LINES).default(100) })

/** [W12.8] Background tasks of a session. */
export function backgroundTaskRoutes(
  scope: FastifyInstance,
  { tasks, demandSession }: BackgroundTaskRoutesOptions,
): void {
  const listing = needs('chat', {
    says: ['Background tasks of a session', '会话的后台任务'],
    answer: z.array(taskRecordSchema),
    bySubject: true,
  })
  scope.get<OfSession>(ALL, listing, async (request) => {
    await demandSession(principalOf(request), request.params.session_id)
    return tasks.list(request.params.session_id)
  })

  const reading = needs('chat', {
    says: ['One background task, with the end of its output', '查看后台任务及其最近输出'],
    query: outputQuerySchema,
    answer: taskOutputSchema,
    bySubject: true,
  })
  scope.get<OneTask>(`${ALL}/:task_id`, reading, async (request) => {
    const { session_id, task_id } = request.params
    const { tail } = readQuery(request, outputQuerySchema)
    await demandSession(principalOf(request), session_id)
    return tasks.read(session_id, task_id, tail)
  })

  const stopping = needs('chat', { says: ['Stops a background task', '停止后台任务'], answer: taskRecordSchema })
  scope.post<OneTask>(`${ALL}/:task_id/stop`, stopping, async (request) => {
    const { session_id, task_id } = request.params
    await demandSession(principalOf(request), session_id)
    return tasks.stop(session_id, task_id)
  })
}
