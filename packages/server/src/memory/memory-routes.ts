import type { Memory } from '@parley/protocol/rest'
import {
  createMemorySchema,
  disableMemorySchema,
  memoryBatchSchema,
  memoryQuerySchema,
  memorySchema,
  pageSchema,
  updateMemorySchema,
} from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Seal } from '../auth/seal.ts'
import type { KnownSecret } from '../config/server-secrets.ts'
import { readBody, readQuery } from '../http/ignored-fields.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { Engine } from '../store/engine.ts'
import type { Work } from '../store/work.ts'
import { changeMany, demandMemory, editMemory, forgetMemories, switchMemory } from './change-memories.ts'
import { demandHarmless } from './demand-harmless.ts'
import { serversSecrets } from './known-secrets.ts'
import { listMemories } from './list-memories.ts'
import type { NewMemory } from './memory-rows.ts'
import { remember } from './remember.ts'

export type MemoryRoutesOptions = {
  engine: Engine
  secrets: readonly KnownSecret[]
  /** Opens what the database keeps sealed. */
  sealFor: (purpose: string) => Pick<Seal, 'open'>
  now: () => string
}

type One = { Params: { id: string } }

const ALL = '/api/memories'
const ONE = `${ALL}/:id`
/** More than the longest memory takes, however it is escaped. */
const MEMORY_BYTES = 64 * 1024

/** [W11.4] Everybody's own memories. The account reads and deletes a visitor's by naming them. */
export function memoryRoutes(app: FastifyInstance, { engine, secrets, sealFor, now }: MemoryRoutesOptions): void {
  const limit = { bodyLimit: MEMORY_BYTES }
  /** Writes what holds no secret. */
  const writeHarmless = <T>(fields: Readonly<Record<string, unknown>>, work: () => Work<T>): Promise<T> =>
    engine.write(function* () {
      demandHarmless(fields, yield* serversSecrets(secrets, sealFor))
      return yield* work()
    })

  const adding = needs('chat', {
    says: ['Remembers something; 200 when it was known already', '添加记忆；已存在时返回 200'],
    body: createMemorySchema,
    answer: memorySchema,
    status: 201,
  })
  app.post(ALL, { ...adding, ...limit }, async (request, reply) => {
    const { user_id } = principalOf(request)
    const said = readBody(request, createMemorySchema)
    const { memory, isKnown } = await writeHarmless(said, () => remember(engine, user_id, { ...said, now: now() }))
    return reply.code(isKnown ? 200 : 201).send(memory)
  })

  const listing = needs('chat', {
    says: ['Your memories', '列出自己的记忆'],
    query: memoryQuerySchema,
    answer: pageSchema(memorySchema),
    bySubject: true,
  })
  app.get(ALL, listing, async (request) => {
    const { user_id } = principalOf(request)
    const query = readQuery(request, memoryQuerySchema)
    return engine.read(() => listMemories(user_id, query))
  })

  const changingMany = needs('chat', {
    says: ['Deletes, disables or enables several memories', '批量删除、停用或启用记忆'],
    body: memoryBatchSchema,
    answer: z.object({ ok: z.literal(true), count: z.int() }),
  })
  app.post(`${ALL}/batch`, { ...changingMany, ...limit }, async (request) => {
    const { user_id } = principalOf(request)
    const wanted = readBody(request, memoryBatchSchema)
    const count = await engine.write(() => changeMany(engine, user_id, { ...wanted, now: now() }))
    return { ok: true, count }
  })

  const reading = needs('chat', { says: ['One memory', '查看记忆'], answer: memorySchema, bySubject: true })
  app.get<One>(ONE, reading, async (request) =>
    engine.read(() => demandMemory(principalOf(request).user_id, idIn(request))),
  )

  const editing = needs('chat', {
    says: ['Changes a memory; null leaves a field as it is', '修改记忆；null 表示不变'],
    body: updateMemorySchema,
    answer: memorySchema,
  })
  app.put<One>(ONE, { ...editing, ...limit }, async (request): Promise<Memory> => {
    const { user_id } = principalOf(request)
    const change = changeIn(readBody(request, updateMemorySchema))
    return writeHarmless(change, () => editMemory(engine, user_id, { ...change, id: idIn(request), now: now() }))
  })

  const switching = needs('chat', {
    says: ['Disables or enables a memory', '停用或启用记忆'],
    body: disableMemorySchema,
    answer: memorySchema,
  })
  app.patch<One>(ONE, { ...switching, ...limit }, async (request): Promise<Memory> => {
    const { user_id } = principalOf(request)
    const { disabled } = readBody(request, disableMemorySchema)
    return engine.write(() => switchMemory(engine, user_id, { id: idIn(request), disabled, now: now() }))
  })

  const deleting = needs('chat', {
    says: ['Deletes a memory', '删除记忆'],
    answer: z.object({ ok: z.literal(true) }),
    bySubject: true,
  })
  app.delete<One>(ONE, deleting, async (request) => {
    const { user_id } = principalOf(request)
    const id = idIn(request)
    await engine.write(function* () {
      yield* demandMemory(user_id, id)
      yield* forgetMemories(engine, user_id, { ids: [id], withPast: false })
    })
    return { ok: true }
  })
}

/** [WR-70] `null` leaves a field as it is, `""` clears it. */
function changeIn(body: z.output<typeof updateMemorySchema>): Partial<NewMemory> {
  const given = Object.entries(body).filter(([, value]) => value !== null)
  const cleared = given.map(([name, value]) => [name, value === '' && name !== 'source_session' ? null : value])
  return Object.fromEntries(cleared) as Partial<NewMemory>
}

/** Another text than a number is the id of nothing. */
function idIn({ params }: FastifyRequest<One>): number {
  return /^[1-9]\d{0,14}$/.test(params.id) ? Number(params.id) : 0
}
