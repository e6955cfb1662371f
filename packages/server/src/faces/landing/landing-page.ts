import { readerOf } from '../../http/reader.ts'
import type { Language } from '../../words/language.ts'
import { say } from '../../words/phrases.ts'
import type { Face } from '../face.ts'

/** What a browser finds at the address itself, also after signing in: that the server is there, and how to go on. */
export const landingFace: Face = {
  mount({ app }) {
    app.get('/', async (request, reply) =>
      reply
        .type('text/html')
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
        .header('vary', 'Accept-Language')
        .send(pageIn(readerOf(request).language)),
    )
  },
}

function pageIn(language: Language): string {
  const [title, terminal, interfaces] = (['title', 'terminal', 'interfaces'] as const).map((name) =>
    say(`page.${name}`, language),
  )
  return `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Parley</title><style>body{font:16px/1.6 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}
code{background:#8882;padding:.2em .4em;border-radius:4px}</style>
<h1>${title}</h1><p>${terminal} <code>npx parley chat</code></p>
<p>${interfaces} <code>/api/health</code> <code>/api/version</code> <code>/api/sessions</code> <code>/socket.io/</code></p></html>`
}
