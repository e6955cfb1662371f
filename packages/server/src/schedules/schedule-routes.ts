import { AgentError } from '@parley/protocol'
import type { CalendarEntry, ScheduledTask, SchedulePreview } from '@parley/protocol/rest'
import {
  calendarEntrySchema,
  calendarQuerySchema,
  createScheduledTaskSchema,
  scheduledRunsQuerySchema,
  scheduledTaskRunSchema,
  scheduledTaskSchema,
  schedulePreviewQuerySchema,
  schedulePreviewSchema,
  updateScheduledTaskSchema,
} from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { readBody, readQuery } from '../http/ignored-fields.ts'
import { readerOf } from '../http/reader.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import { databaseNow } from '../store/database-now.ts'
import { calendarOf } from './calendar.ts'
import { changeTask, createTask, deleteTask } from './change-tasks.ts'
import type { ClaimOptions } from './claim-slots.ts'
import { runNow } from './run-now.ts'
import { demandTask, type ScheduleRow, tasksOf, toTask } from './schedule-rows.ts'
import { slotsOf, toRun } from './slot-rows.ts'
import { openTimetable, serverTimeZone, slotsBetween } from './timetable.ts'

export type ScheduleRoutesOptions = ClaimOptions & {
  /** Whether it can be chosen now. */
  offersModel: (id: string) => Promise<boolean>
}

type One = { Params: { task_id: string } }

const ALL = '/api/scheduled-tasks'
const ONE = `${ALL}/:task_id`
/** More than the longest task takes, however it is escaped. */
const TASK_BYTES = 512 * 1024
const nothing = z.strictObject({})

/** [W11.6] Everybody's own tasks; visitors have none. */
export function scheduleRoutes(app: FastifyInstance, options: ScheduleRoutesOptions): void {
  const { engine } = options
  const ofCaller = (request: FastifyRequest<One>) => [principalOf(request).user_id, request.params.task_id] as const
  const change = async (request: FastifyRequest<One>, fields: Parameters<typeof changeTask>[1]['change']) => {
    const [user_id, id] = ofCaller(request)
    return toTask(await engine.write(() => changeTask(user_id, { id, change: fields }, options)))
  }

  const making = needs('account', {
    says: ['Makes a scheduled task', '创建定时任务'],
    body: createScheduledTaskSchema,
    answer: scheduledTaskSchema,
    status: 201,
  })
  app.post(ALL, { ...making, bodyLimit: TASK_BYTES }, async (request, reply) => {
    const { user_id } = principalOf(request)
    const task = readBody(request, createScheduledTaskSchema)
    await demandModel(task.model, options)
    const row = await engine.write(() => createTask(user_id, task, options))
    return reply.code(201).send(toTask(row))
  })

  const listing = needs('account', {
    says: ['Your scheduled tasks', '列出定时任务'],
    answer: z.array(scheduledTaskSchema),
  })
  app.get(ALL, listing, async (request): Promise<ScheduledTask[]> => {
    const { user_id } = principalOf(request)
    return (await engine.read(() => tasksOf(user_id))).map(toTask)
  })

  const planning = needs('account', {
    says: ['When tasks are due', '定时任务日历'],
    query: calendarQuerySchema,
    answer: z.array(calendarEntrySchema),
  })
  app.get(`${ALL}/calendar`, planning, async (request): Promise<CalendarEntry[]> => {
    const { from, to } = readQuery(request, calendarQuerySchema)
    const { user_id } = principalOf(request)
    const tasks = await engine.read(() => tasksOf(user_id))
    return calendarOf(tasks, { from: Date.parse(from), to: Date.parse(to) })
  })

  const foreseeing = needs('account', {
    says: ['When a timetable would be due next', '预览定时表达式的下次运行时间'],
    query: schedulePreviewQuerySchema,
    answer: schedulePreviewSchema,
  })
  app.get(`${ALL}/preview`, foreseeing, async (request): Promise<SchedulePreview> => {
    const { cron, timezone = serverTimeZone(), n } = readQuery(request, schedulePreviewQuerySchema)
    const timetable = openTimetable({ cron, timezone })
    const from = (await engine.read(databaseNow)) + 1
    const slots = slotsBetween(timetable, { from, to: Infinity }, n)
    return { cron, timezone, next: slots.map((slot) => new Date(slot).toISOString()) }
  })

  const reading = needs('account', { says: ['One scheduled task', '查看定时任务'], answer: scheduledTaskSchema })
  app.get<One>(ONE, reading, async (request) => toTask(await load(ofCaller(request))))

  const changing = needs('account', {
    says: ['Changes a scheduled task', '修改定时任务'],
    body: updateScheduledTaskSchema,
    answer: scheduledTaskSchema,
  })
  app.patch<One>(ONE, { ...changing, bodyLimit: TASK_BYTES }, async (request) => {
    const fields = readBody(request, updateScheduledTaskSchema)
    await load(ofCaller(request))
    await demandModel(fields.model ?? null, options)
    return change(request, fields)
  })

  const removing = needs('account', { says: ['Removes a task; its sessions stay', '删除定时任务，已有会话保留'] })
  app.delete<One>(ONE, removing, async (request, reply) => {
    const [user_id, id] = ofCaller(request)
    await engine.write(() => deleteTask(user_id, id))
    return reply.code(204).send()
  })

  const starting = needs('account', { says: ['Switches a task on', '启用定时任务'], answer: scheduledTaskSchema })
  app.post<One>(`${ONE}/start`, starting, async (request) => change(request, { enabled: true }))

  const stopping = needs('account', { says: ['Switches a task off', '停用定时任务'], answer: scheduledTaskSchema })
  app.post<One>(`${ONE}/stop`, stopping, async (request) => change(request, { enabled: false }))

  const running = needs('account', {
    says: ['Runs a task now', '立即运行定时任务'],
    body: nothing,
    answer: scheduledTaskRunSchema,
    status: 202,
  })
  app.post<One>(`${ONE}/run`, running, async (request, reply) => {
    readBody(request, nothing)
    const [user_id, id] = ofCaller(request)
    return reply.code(202).send(toRun(await runNow(user_id, id, options), readerOf(request)))
  })

  const looking = needs('account', {
    says: ['What became of the times a task was due, newest first', '定时任务的运行记录（最新在前）'],
    query: scheduledRunsQuerySchema,
    answer: z.array(scheduledTaskRunSchema),
  })
  app.get<One>(`${ONE}/runs`, looking, async (request) => {
    const page = readQuery(request, scheduledRunsQuerySchema)
    const [user_id, id] = ofCaller(request)
    const rows = await engine.read(function* () {
      yield* demandTask(user_id, id)
      return yield* slotsOf(id, page)
    })
    return rows.map((row) => toRun(row, readerOf(request)))
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
