import { createHash } from 'node:crypto'
import { readerOf } from '../../http/reader.ts'
import { type Language, languageOfTag } from '../../words/language.ts'
import type { Face } from '../face.ts'
import { GuideFiles } from './guide-files.ts'
import { guidePage } from './guide-page.ts'
import { GUIDE_STYLE } from './guide-style.ts'
import { type PageName, PAGES, WORDS } from './guide-words.ts'

const STYLE_HASH = createHash('sha256').update(GUIDE_STYLE).digest('base64')
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`

/** The guide (docs/guide) for people, in both languages and without a script. Open to everybody: every server has the same. */
export const docsFace: Face = {
  mount({ app }) {
    const files = new GuideFiles()

    app.get('/docs', async (request, reply) =>
      reply
        .header('vary', [reply.getHeader('vary'), 'Accept-Language'].filter(Boolean).join(', '))
        .redirect(`/docs/${readerOf(request).language}/`),
    )

    app.get('/docs/*', async (request, reply) => {
      // As it was asked for: the router takes a slash at the end away.
      const path = request.url.slice('/docs/'.length).replace(/[?#].*/, '')
      const place = placeOf(path)
      if (place && place.address !== path) return reply.redirect(`/docs/${place.address}`)
      const markdown = place && (await files.page(place.language, place.name))
      const language = place?.language ?? languageOfTag(path.slice(0, 2)) ?? readerOf(request).language
      return reply
        .code(markdown === undefined ? 404 : 200)
        .type('text/html; charset=utf-8')
        .headers({
          'content-security-policy': POLICY,
          'cache-control': 'no-cache',
          'content-language': language,
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
        })
        .send(guidePage(markdown ?? WORDS[language].missing, { language, name: place?.name ?? null }))
    })
  },
}

type Place = { language: Language; name: PageName; address: string }

/** `zh/concepts`; `zh/`, for the first page, whose own name and `zh` alone lead there. */
function placeOf(path: string): Place | undefined {
  const [language = '', name = '', ...more] = path.split('/')
  if ((language !== 'en' && language !== 'zh') || more.length > 0) return undefined
  const [first] = PAGES
  if (name === '' || name === first) return { language, name: first, address: `${language}/` }
  const found = PAGES.find((page) => page === name)
  return found && { language, name: found, address: `${language}/${found}` }
}
