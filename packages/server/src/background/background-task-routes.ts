import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { needs, principalOf } from '../http/signed-in.ts'
import { readQuery } from '../http/ignored-fields.ts'
import type { BackgroundTasks } from './background-tasks.ts'

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
  scope.get<OfSession>(ALL, needs('chat', { bySubject: true }), async (request) => {
    await demandSession(principalOf(request), request.params.session_id)
    return tasks.list(request.params.session_id)
  })

  scope.get<OneTask>(`${ALL}/:task_id`, needs('chat', { bySubject: true }), async (request) => {
    const { session_id, task_id } = request.params
    const { tail } = readQuery(request, outputQuerySchema)
    await demandSession(principalOf(request), session_id)
    return tasks.read(session_id, task_id, tail)
  })

  scope.post<OneTask>(`${ALL}/:task_id/stop`, needs('chat'), async (request) => {
    const { session_id, task_id } = request.params
    await demandSession(principalOf(request), session_id)
    return tasks.stop(session_id, task_id)
  })
}
