import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { readBody, readQuery } from '../../http/ignored-fields.ts'
import { needs, principalOf } from '../../http/signed-in.ts'
import { type Changed, type ModelConfig, modelConfigSchema } from '../../model-configs/model-configs.ts'
import {
  changedConfigSchema,
  configQuerySchema,
  newConfigSchema,
  statusQuerySchema,
  testConnectionSchema,
} from '../../model-configs/schemas.ts'
import type { FaceParts } from '../face.ts'
import { Refusal } from './refusal.ts'

export type ModelConfigRoutesOptions = Pick<FaceParts, 'modelConfigs' | 'models'> & { prefix: string }

type OneConfig = { Params: { id: string } }

const pageSchema = z.object({
  total: z.int(),
  page: z.int(),
  page_size: z.int(),
  items: z.array(modelConfigSchema),
})
const triedSchema = z.object({ success: z.boolean(), message: z.string(), raw_error: z.string().optional() })

const TEST_MS = 15_000
/** Two hundred models, each with its name. */
const body = { bodyLimit: 256 * 1024 }

/** [O14] Everybody of the account may see them, the owner changes them. */
export function modelConfigRoutes(scope: FastifyInstance, options: ModelConfigRoutesOptions): void {
  const { modelConfigs: configs, prefix } = options
  const all = `${prefix}/api/models/configs`
  const one = `${all}/:id`

  const listing = needs('account', {
    says: ['Models that were added while the server runs', '列出模型配置'],
    query: configQuerySchema,
    answer: pageSchema,
  })
  scope.get(all, listing, async (request) => {
    const { page, page_size, ...filter } = readQuery(request, configQuerySchema)
    const found = await configs.list(filter, { limit: page_size, offset: (page - 1) * page_size })
    return { total: found.total, page, page_size, items: found.items }
  })

  const adding = needs('owner', {
    says: ['Adds models; the key never comes back', '新增模型配置；密钥不再返回'],
    body: newConfigSchema,
    answer: modelConfigSchema,
    status: 201,
  })
  scope.post(all, { ...adding, ...body }, async (request, reply) => {
    const given = readBody(request, newConfigSchema)
    if (given.api_key === '') throw new Refusal(400, 'api_key: 缺少 API Key')
    const created = await configs.create(principalOf(request), given)
    if (!created) throw nameTaken(given.name)
    return reply.code(201).send(created)
  })

  const trying = needs('owner', {
    says: ['Tries an address and a key out', '测试连接'],
    body: testConnectionSchema,
    answer: triedSchema,
  })
  scope.post(`${all}/test-connection`, { ...trying, ...body }, async (request) => {
    return testConnection(request, options)
  })

  const reading = needs('account', { says: ['One model configuration', '查看模型配置'], answer: modelConfigSchema })
  scope.get<OneConfig>(one, reading, async ({ params }) => (await configs.find(idOf(params))) ?? missing())

  const changing = needs('owner', {
    says: ['Changes what is named; an empty key leaves the stored one', '修改模型配置；密钥留空则不变'],
    body: changedConfigSchema,
    answer: modelConfigSchema,
  })
  scope.put<OneConfig>(one, { ...changing, ...body }, async (request) => {
    const given = readBody(request, changedConfigSchema)
    return result(await configs.change(principalOf(request), idOf(request.params), given), given.name)
  })

  const switching = needs('owner', {
    says: ['Switches a model configuration on or off', '启用或停用模型配置'],
    query: statusQuerySchema,
    answer: modelConfigSchema,
  })
  scope.patch<OneConfig>(`${one}/status`, switching, async (request) => {
    const { is_active } = readQuery(request, statusQuerySchema)
    return result(await configs.change(principalOf(request), idOf(request.params), { is_active }))
  })

  const removing = needs('owner', { says: ['Removes a model configuration', '删除模型配置'] })
  scope.delete<OneConfig>(one, removing, async (request, reply) => {
    if (!(await configs.remove(principalOf(request), idOf(request.params)))) missing()
    return reply.code(204).send()
  })
}

/** Always 200 for a request that makes sense: what the endpoint says is the answer. */
async function testConnection(
  request: FastifyRequest,
  { models }: ModelConfigRoutesOptions,
): Promise<z.infer<typeof triedSchema>> {
  const { base_url: url, api_key: apiKey, model_id: model } = readBody(request, testConnectionSchema)
  const timeout = AbortSignal.timeout(TEST_MS)
  try {
    const failure = await models.tryOut({ url, apiKey, model }, timeout)
    if (!failure) return { success: true, message: '连接成功' }
    return { success: false, message: timeout.aborted ? '连接超时' : '连接失败', raw_error: failure.message }
  } catch (error) {
    return { success: false, message: '连接失败', raw_error: (error as Error).message }
  }
}

/** Another text than a number is the id of nothing. */
function idOf({ id }: { id: string }): number {
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0
}

function result(changed: Changed, name = ''): ModelConfig {
  if (changed === 'not_found') return missing()
  if (changed === 'name_taken') throw nameTaken(name)
  if (changed === 'changed_meanwhile') throw new Refusal(409, '配置已被其他用户修改，请刷新后重试')
  return changed
}

function nameTaken(name: string): Refusal {
  return new Refusal(400, `配置名称 '${name}' 已存在`)
}

function missing(): never {
  throw new Refusal(404, '配置不存在')
}
