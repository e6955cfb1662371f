import { taskSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { SessionReader } from '../feature.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { Engine } from '../store/engine.ts'
import { readTasks } from '../store/task-rows.ts'

/** [W12.8] The task list of a session. */
export function taskRoutes(
  app: FastifyInstance,
  { engine, sessions }: { engine: Engine; sessions: SessionReader },
): void {
  const listing = needs('chat', {
    says: ['The task list of a session', '会话的任务列表'],
    answer: z.array(taskSchema),
    bySubject: true,
  })
  app.get<{ Params: { session_id: string } }>('/api/sessions/:session_id/tasks', listing, async (request) => {
    const { session_id } = request.params
    await sessions.get(principalOf(request), session_id)
    return engine.read(() => readTasks(session_id))
  })
}
