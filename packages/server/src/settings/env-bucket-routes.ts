import { AgentError } from '@parley/protocol'
import type { EnvBucket } from '@parley/protocol/rest'
import { envBucketBodySchema, settingNameSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
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

/** [W12.8] Variables that the tools of all of a user's sessions get. Sealed; their values are told to nobody again. */
export function envBucketRoutes(app: FastifyInstance, { engine, seal }: { engine: Engine; seal: Seal }): void {
  const shown = ({ bucket, sealed }: BucketRow): EnvBucket => ({ bucket, env: masked(namesIn(sealed, seal)) })

  app.get(ALL, needs('account'), async (request) => {
    const { user_id } = principalOf(request)
    return (await engine.read(() => bucketsOf(user_id))).map(shown)
  })

  app.get<OneBucket>(ONE, needs('account'), async (request) => {
    const { user_id } = principalOf(request)
    const rows = await engine.read(() => bucketsOf(user_id))
    return shown(rows.find(({ bucket }) => bucket === request.params.bucket) ?? missing(request.params))
  })

  app.put<OneBucket>(ONE, needs('account'), async (request): Promise<EnvBucket> => {
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

  app.delete<OneBucket>(ONE, needs('account'), async (request) => {
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
