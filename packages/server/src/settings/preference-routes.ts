import { AgentError } from '@parley/protocol'
import type { Preference } from '@parley/protocol/rest'
import { preferenceBodySchema, preferenceSchema, settingNameSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { readBody } from '../http/ignored-fields.ts'
import { parse } from '../http/parse.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { Engine } from '../store/engine.ts'
import { runSql } from '../store/work.ts'

type OneKey = { Params: { key: string } }

const ONE = '/api/user/preferences/:key'
const MAX_PREFERENCES = 500

/** [W12.8] Texts that a user's programs want to find again. */
export function preferenceRoutes(app: FastifyInstance, engine: Engine): void {
  const reading = needs('account', {
    says: ['A text that your programs keep', '查看偏好设置'],
    answer: preferenceSchema,
  })
  app.get<OneKey>(ONE, reading, async (request): Promise<Preference> => {
    const [row] = await engine.select<{ value: string }>(
      'SELECT value FROM preferences WHERE user_id = ? AND key = ?',
      [principalOf(request).user_id, parse(settingNameSchema, request.params.key, () => {})],
    )
    return { value: row?.value ?? null }
  })

  const keeping = needs('account', {
    says: ['Keeps a text for your programs', '保存偏好设置'],
    body: preferenceBodySchema,
    answer: preferenceSchema,
  })
  app.put<OneKey>(ONE, keeping, async (request): Promise<Preference> => {
    const { user_id } = principalOf(request)
    const key = parse(settingNameSchema, request.params.key, () => {})
    const { value } = readBody(request, preferenceBodySchema)
    await engine.write(function* () {
      const [others] = yield* runSql<{ n: number }>(
        'SELECT count(*) AS n FROM preferences WHERE user_id = ? AND key <> ?',
        [user_id, key],
      )
      if ((others?.n ?? 0) >= MAX_PREFERENCES)
        throw new AgentError('invalid_payload', `There are ${MAX_PREFERENCES} preferences already.`)
      yield* runSql(
        `INSERT INTO preferences (user_id, key, value) VALUES (?, ?, ?)
          ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value`,
        [user_id, key, value],
      )
    })
    return { value }
  })
}
