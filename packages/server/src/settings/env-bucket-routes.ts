import { AgentError } from '@parley/protocol'
import type { EnvBucket } from '@parley/protocol/rest'
import { envBucketBodySchema, envBucketSchema, settingNameSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Seal } from '../auth/seal.ts'
import { readBody } from '../http/ignored-fields.ts'
import { parse } from '../http/parse.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { Engine } from '../store/engine.ts'
import { type BucketRow, bucketsOf, dropBucket, putBucket } from '../store/env-bucket-rows.ts'

type OneBucket = { Params: { bucket: string } }

const ALL = '/api/user/env-buckets'
const ONE = `${ALL}/:bucket`
const MASKED = '***'
const MAX_BUCKETS = 50

const removedSchema = z.object({ bucket: z.string(), status: z.literal('deleted') })

/** [W12.8] Variables that the tools of all of a user's sessions get. Sealed; their values are told to nobody again. */
export function envBucketRoutes(app: FastifyInstance, { engine, seal }: { engine: Engine; seal: Seal }): void {
  const shown = ({ bucket, sealed }: BucketRow): EnvBucket => ({ bucket, env: masked(namesIn(sealed, seal)) })

  const listing = needs('account', {
    says: ['Variables for all of your sessions, without their values', '列出自己的环境变量组（不含值）'],
    answer: z.array(envBucketSchema),
  })
  app.get(ALL, listing, async (request) => {
    const { user_id } = principalOf(request)
    return (await engine.read(() => bucketsOf(user_id))).map(shown)
  })

  const reading = needs('account', { says: ['The names in one bucket', '查看一个环境变量组'], answer: envBucketSchema })
  app.get<OneBucket>(ONE, reading, async (request) => {
    const { user_id } = principalOf(request)
    const rows = await engine.read(() => bucketsOf(user_id))
    return shown(rows.find(({ bucket }) => bucket === request.params.bucket) ?? missing(request.params))
  })

  const replacing = needs('account', {
    says: ['Replaces a bucket', '替换环境变量组'],
    body: envBucketBodySchema,
    answer: envBucketSchema,
  })
  app.put<OneBucket>(ONE, replacing, async (request): Promise<EnvBucket> => {
    const { user_id } = principalOf(request)
    const bucket = parse(settingNameSchema, request.params.bucket, () => {})
    const { env } = readBody(request, envBucketBodySchema)
    const sealed = seal.seal(JSON.stringify(env))
    await engine.write(function* () {
      const others = (yield* bucketsOf(user_id)).filter((one) => one.bucket !== bucket)
      if (others.length >= MAX_BUCKETS)
        throw new AgentError('invalid_payload', `There are ${MAX_BUCKETS} buckets already; delete one first.`)
      yield* putBucket(user_id, bucket, sealed)
    })
    return { bucket, env: masked(Object.keys(env)) }
  })

  const removing = needs('account', { says: ['Removes a bucket', '删除环境变量组'], answer: removedSchema })
  app.delete<OneBucket>(ONE, removing, async (request) => {
    const { user_id } = principalOf(request)
    const { bucket } = request.params
    if (!(await engine.write(() => dropBucket(user_id, bucket)))) missing({ bucket })
    return { bucket, status: 'deleted' }
  })
}

function masked(names: readonly string[]): EnvBucket['env'] {
  return Object.fromEntries(names.map((name) => [name, MASKED]))
}

/** None for what was sealed with another secret: no tool gets it either. */
function namesIn(sealed: string, seal: Pick<Seal, 'open'>): string[] {
  try {
    return Object.keys(JSON.parse(seal.open(sealed)) as object)
  } catch {
    return []
  }
}

function missing({ bucket }: { bucket: string }): never {
  throw new AgentError('not_found', `There is no bucket ${bucket}.`)
}
