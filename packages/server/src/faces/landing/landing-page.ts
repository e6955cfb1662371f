import { createHash } from 'node:crypto'
import { OIDC_PATH } from '../../auth/cookie.ts'
import { readerOf } from '../../http/reader.ts'
import type { Language } from '../../words/language.ts'
import { type PhraseKey, say } from '../../words/phrases.ts'
import type { Face } from '../face.ts'
import { LANDING_STYLE } from './landing-style.ts'

const STYLE_HASH = createHash('sha256').update(LANDING_STYLE).digest('base64')

/**
 * What a browser finds at the address itself, also after signing in: that the server is there, how to go on, and for who is
 * signed in the chat (packages/chatkit/src/landing). Open to everybody; nothing in it but words.
 */
export const landingFace: Face = {
  mount({ app, openId }) {
    const provider = openId && (openId.options.name ?? new URL(openId.options.issuer).host)
    app.get('/', async (request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .headers({
          'content-security-policy': policyFor(request.headers.host ?? ''),
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
          vary: [reply.getHeader('vary'), 'Accept-Language'].filter(Boolean).join(', '),
        })
        .send(pageIn(readerOf(request).language, provider)),
    )
  },
}

/** In no frame: a page around it could lead somebody to the button that kills the server. */
function policyFor(host: string): string {
  return `default-src 'none'; script-src 'self'; style-src 'sha256-${STYLE_HASH}'; img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' data: blob:; connect-src 'self' ws://${host} wss://${host}; frame-src 'self' https:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`
}

/** Where people sign in elsewhere. */
function button(provider: string, language: Language): string {
  const name = provider.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<br><a href="${OIDC_PATH}/login">${say('page.oidc', language, { name })}</a>`
}

const ADDRESSES = ['/api/health', '/api/version', '/api/sessions', '/socket.io/']

function pageIn(language: Language, provider: string | undefined): string {
  const words = (name: 'title' | 'about' | 'signIn' | 'terminal' | 'interfaces') =>
    say(`page.${name}` satisfies PhraseKey, language)
  const addresses = [...ADDRESSES.map((path) => `<code>${path}</code>`), '<a href="/docs/api">/docs/api</a>'].join(' ')
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Parley</title><link rel="icon" href="data:,">
<style>${LANDING_STYLE}</style>
<script defer src="/embed.js" data-launcher="off"></script><script type="module" src="/embed/landing.js"></script></head>
<body><main><div class="side"><header><h1>${words('title')}</h1><p>${words('about')}</p></header>
<p id="sign-in">${words('signIn')}${provider === undefined ? '' : button(provider, language)}</p><section id="crash" hidden></section>
<footer><p>${words('terminal')} <code>npx parley chat</code></p><p>${words('interfaces')} ${addresses}</p></footer></div>
<div id="chat" hidden></div></main></body></html>`
}
