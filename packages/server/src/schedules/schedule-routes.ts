import { AgentError } from '@parley/protocol'
import type { CalendarEntry, ScheduledTask } from '@parley/protocol/rest'
import {
  calendarQuerySchema,
  createScheduledTaskSchema,
  scheduledRunsQuerySchema,
  updateScheduledTaskSchema,
} from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { readBody, readQuery } from '../http/ignored-fields.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import { calendarOf } from './calendar.ts'
import { changeTask, createTask, deleteTask } from './change-tasks.ts'
import type { ClaimOptions } from './claim-slots.ts'
import { runNow } from './run-now.ts'
import { demandTask, type ScheduleRow, tasksOf, toTask } from './schedule-rows.ts'
import { slotsOf, toRun } from './slot-rows.ts'

export type ScheduleRoutesOptions = ClaimOptions & {
  /** Whether it can be chosen now. */
  offersModel: (id: string) => Promise<boolean>
}

type One = { Params: { task_id: string } }

const ALL = '/api/scheduled-tasks'
const ONE = `${ALL}/:task_id`
/** More than the longest task takes, however it is escaped. */
const TASK_BYTES = 512 * 1024

/** [W11.6] Everybody's own tasks; visitors have none. */
export function scheduleRoutes(app: FastifyInstance, options: ScheduleRoutesOptions): void {
  const { engine } = options
  const reading = needs('account')
  const writing = { ...reading, bodyLimit: TASK_BYTES }
  const ofCaller = (request: FastifyRequest<One>) => [principalOf(request).user_id, request.params.task_id] as const
  const change = async (request: FastifyRequest<One>, fields: Parameters<typeof changeTask>[1]['change']) => {
    const [user_id, id] = ofCaller(request)
    return toTask(await engine.write(() => changeTask(user_id, { id, change: fields }, options)))
  }

  app.post(ALL, writing, async (request, reply) => {
    const { user_id } = principalOf(request)
    const task = readBody(request, createScheduledTaskSchema)
    await demandModel(task.model, options)
    const row = await engine.write(() => createTask(user_id, task, options))
    return reply.code(201).send(toTask(row))
  })

  app.get(ALL, reading, async (request): Promise<ScheduledTask[]> => {
    const { user_id } = principalOf(request)
    return (await engine.read(() => tasksOf(user_id))).map(toTask)
  })

  app.get(`${ALL}/calendar`, reading, async (request): Promise<CalendarEntry[]> => {
    const { from, to } = readQuery(request, calendarQuerySchema)
    const { user_id } = principalOf(request)
    const tasks = await engine.read(() => tasksOf(user_id))
    return calendarOf(tasks, { from: Date.parse(from), to: Date.parse(to) })
  })

  app.get<One>(ONE, reading, async (request) => toTask(await load(ofCaller(request))))

  app.patch<One>(ONE, writing, async (request) => {
    const fields = readBody(request, updateScheduledTaskSchema)
    await load(ofCaller(request))
    await demandModel(fields.model ?? null, options)
    return change(request, fields)
  })

  app.delete<One>(ONE, reading, async (request, reply) => {
    const [user_id, id] = ofCaller(request)
    await engine.write(() => deleteTask(user_id, id))
    return reply.code(204).send()
  })

  app.post<One>(`${ONE}/start`, writing, async (request) => change(request, { enabled: true }))

  app.post<One>(`${ONE}/stop`, writing, async (request) => change(request, { enabled: false }))

  app.post<One>(`${ONE}/run`, writing, async (request, reply) => {
    readBody(request, z.strictObject({}))
    const [user_id, id] = ofCaller(request)
    return reply.code(202).send(toRun(await runNow(user_id, id, options)))
  })

  app.get<One>(`${ONE}/runs`, reading, async (request) => {
    const page = readQuery(request, scheduledRunsQuerySchema)
    const [user_id, id] = ofCaller(request)
    const rows = await engine.read(function* () {
      yield* demandTask(user_id, id)
      return yield* slotsOf(id, page)
    })
    return rows.map(toRun)
  })

  function load([user_id, id]: readonly [string, string]): Promise<ScheduleRow> {
    return engine.read(() => demandTask(user_id, id))
  }
}

async function demandModel(
  model: string | null,
  { offersModel }: Pick<ScheduleRoutesOptions, 'offersModel'>,
): Promise<void> {
  if (model !== null && !(await offersModel(model)))
    throw new AgentError(
      'model_not_available',
      `There is no model ${model}; GET /api/config/models lists those that are.`,
      { details: { model } },
    )
}
