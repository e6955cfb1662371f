import { createHash } from 'node:crypto'
import { z } from 'zod'
import { readerOf } from '../../http/reader.ts'
import { tells, toldRoutes } from '../../http/told.ts'
import { VERSION } from '../../version.ts'
import type { Language } from '../../words/language.ts'
import type { Face } from '../face.ts'
import { apiPage } from './api-page.ts'
import { API_STYLE } from './api-style.ts'
import { type ApiDescription, describeApi } from './describe-api.ts'

const STYLE_HASH = createHash('sha256').update(API_STYLE).digest('base64')
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`

const descriptionSchema = z.object({ openapi: z.literal('3.1.0'), info: z.looseObject({}), paths: z.looseObject({}) })

/** What every route takes and answers, for programs and for people. Open to everybody: it tells of routes, not of anybody's things. */
export const apiDocsFace: Face = {
  mount({ app }) {
    // Made once, by the first who asks: by then every route is there.
    const made: { api?: ApiDescription; json?: string; pages: Partial<Record<Language, string>> } = { pages: {} }
    const api = () => (made.api ??= describeApi(toldRoutes(app), VERSION))

    const told = tells({
      says: ['This description, as OpenAPI 3.1', '本说明（OpenAPI 3.1）'],
      answer: descriptionSchema,
    })
    app.get('/api/openapi.json', told, async (_request, reply) => {
      made.json ??= JSON.stringify(api())
      return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(made.json)
    })

    app.get('/docs/api', async (request, reply) => {
      const { language } = readerOf(request)
      const page = (made.pages[language] ??= apiPage(api(), language))
      return reply
        .type('text/html; charset=utf-8')
        .headers({
          'content-security-policy': POLICY,
          'cache-control': 'no-cache',
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
          vary: [reply.getHeader('vary'), 'Accept-Language'].filter(Boolean).join(', '),
        })
        .send(page)
    })
  },
}
