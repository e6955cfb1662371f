import { AgentError } from '@parley/protocol'
import { pageSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Seal } from '../../auth/seal.ts'
import { readBody } from '../../http/ignored-fields.ts'
import { callerOf, needs } from '../../http/signed-in.ts'
import type { Engine } from '../../store/engine.ts'
import { changedHttpToolSchema, type HttpTool, httpToolSchema, shownHttpToolSchema, withDefaults } from './config.ts'
import type { HttpTools, ListedHttpTool } from './http-tools.ts'
import { addTool, changeTool, dropTool, type ToolRow } from './tool-rows.ts'

export type HttpToolRoutesOptions = {
  tools: HttpTools
  engine: Engine
  seal: Seal
  /** Whether another tool has this name, or may come to have it. */
  isTaken: (name: string) => Promise<boolean>
  /** What keeps it from being a tool, in one sentence: its schema, or its address. */
  problemOf: (tool: HttpTool) => Promise<string | undefined>
}

type OneTool = { Params: { name: string } }

const ALL = '/api/http-tools'
const ONE = `${ALL}/:name`

const listedSchema = z.union([
  z.object({
    ...shownHttpToolSchema.shape,
    source: z.enum(['configuration', 'rest']),
    status: z.literal('ready'),
  }),
  z.object({ name: z.string(), source: z.literal('rest'), status: z.literal('unreadable') }),
])

/** [W12.11.1] The owner makes, changes and removes tools that lie in a backend. */
export function httpToolRoutes(app: FastifyInstance, options: HttpToolRoutesOptions): void {
  const { tools, engine, seal, isTaken } = options

  const listing = needs('owner', {
    says: ['Tools that lie in backends', '列出后端 HTTP 工具'],
    answer: pageSchema(listedSchema),
  })
  app.get(ALL, listing, async () => {
    const items = await tools.listed()
    return { items, total: items.length }
  })

  const reading = needs('owner', { says: ['One HTTP tool', '查看 HTTP 工具'], answer: listedSchema })
  app.get<OneTool>(ONE, reading, async (request) => {
    const { name } = request.params
    return (await tools.listed()).find((tool) => tool.name === name) ?? noSuchTool(name)
  })

  const making = needs('owner', {
    says: ['Makes a tool of an address in a backend', '创建 HTTP 工具'],
    body: httpToolSchema,
    answer: listedSchema,
    status: 201,
  })
  app.post(ALL, making, async (request, reply) => {
    const actor = callerOf(request).user_id
    const { secret, ...written } = readBody(request, httpToolSchema)
    const tool = await checked(withDefaults(written), options)
    const { name } = tool
    const isFree = !tools.isConfigured(name) && !(await isTaken(name))
    const row = { name, definition: seal.seal(JSON.stringify(tool)), secret: seal.seal(secret) }
    const added = isFree ? await engine.write(() => addTool(row, actor)) : undefined
    if (!added) throw new AgentError('already_exists', `There is a tool named ${name} already; choose another name.`)
    return reply.code(201).send(await told(added, tools))
  })

  const changing = needs('owner', {
    says: ['Changes an HTTP tool; without secret it keeps its own', '修改 HTTP 工具；不传 secret 则保留原值'],
    body: changedHttpToolSchema,
    answer: listedSchema,
  })
  app.put<OneTool>(ONE, changing, async (request) => {
    const actor = callerOf(request).user_id
    const { name } = request.params
    demandNotConfigured(name, tools)
    const { secret, ...written } = readBody(request, changedHttpToolSchema)
    const tool = await checked(withDefaults({ ...written, name }), options)
    const definition = seal.seal(JSON.stringify(tool))
    const row = { name, definition, secret: secret === undefined ? secret : seal.seal(secret) }
    return told((await engine.write(() => changeTool(row, actor))) ?? noSuchTool(name), tools)
  })

  const removing = needs('owner', { says: ['Removes an HTTP tool', '删除 HTTP 工具'] })
  app.delete<OneTool>(ONE, removing, async (request, reply) => {
    const actor = callerOf(request).user_id
    const { name } = request.params
    demandNotConfigured(name, tools)
    if (!(await engine.write(() => dropTool(name, actor)))) noSuchTool(name)
    await tools.refresh()
    return reply.code(204).send()
  })
}

function demandNotConfigured(name: string, tools: HttpTools): void {
  if (tools.isConfigured(name))
    throw new AgentError('already_exists', `${name} is configured (httpTools), and can only be changed there.`)
}

async function checked(tool: HttpTool, { problemOf }: HttpToolRoutesOptions): Promise<HttpTool> {
  const problem = await problemOf(tool)
  if (problem === undefined) return tool
  throw new AgentError('invalid_payload', problem)
}

/** Known here at once; other instances look before their next run. */
async function told(row: ToolRow, tools: HttpTools): Promise<ListedHttpTool> {
  await tools.refresh()
  return tools.shown(row)
}

function noSuchTool(name: string): never {
  throw new AgentError('not_found', `There is no HTTP tool named ${name}.`)
}
