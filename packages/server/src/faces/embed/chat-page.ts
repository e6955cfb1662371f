import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { escapeText } from '../../http/escape-text.ts'
import { readQuery } from '../../http/ignored-fields.ts'
import type { PageVisits } from '../../http/page-visits.ts'

type PageOptions = {
  publicUrl?: string | undefined
  allowedOrigins: readonly string[]
  language: 'zh' | 'en'
  visits: PageVisits
}

/** How it looks, and nothing else: an address is kept in logs and histories, so a token never stands in it. */
const querySchema = z.strictObject({
  theme: z.enum(['light', 'dark', 'system']).optional(),
  locale: z
    .string()
    .regex(/^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8}){0,3}$/)
    .optional(),
  mode: z.enum(['assistant', 'copilot']).optional(),
  heading: z.string().max(80).optional(),
})

/**
 * A page with nothing but the chat, to be put into an iframe: its token comes by message (wire-protocol 14.7). The origins
 * that may use this server are those that may put it into a frame, and those it listens to. Open to everybody; no secret
 * in it.
 */
export function chatPage(app: FastifyInstance, { publicUrl, allowedOrigins, language, visits }: PageOptions): void {
  const hosts = [...(publicUrl ? [publicUrl] : []), ...allowedOrigins].map((url) => new URL(url).origin)

  app.get('/chat', async (request, reply) => {
    const { theme, locale, mode = 'assistant', heading } = readQuery(request, querySchema)
    const { host = '' } = request.headers
    const around = request.headers['sec-fetch-dest'] === 'iframe' && URL.parse(request.headers.referer ?? '')
    if (around && hosts.includes(around.origin)) visits.saw(around.origin)
    const named = { hosts: hosts.join(' '), theme, locale, mode, heading }
    const metas = Object.entries(named).flatMap(([name, value]) =>
      value ? [`<meta name="parley-${name}" content="${escapeText(value)}">`] : [],
    )
    return send(reply, {
      policy: `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' data: blob:; connect-src 'self' ws://${host} wss://${host}; frame-src 'self' https:; form-action 'none'; base-uri 'none'; ${ancestors(hosts)}`,
      html: `<!doctype html><html lang="${escapeText(locale ?? language)}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
${metas.join('\n')}
<title>${escapeText(heading || 'Parley')}</title><link rel="icon" href="data:,">
<script defer src="/embed.js" data-launcher="off"></script><script type="module" src="/embed/frame.js"></script></head>
<body></body></html>`,
    })
  })

  // What a card's own script needs, in an origin that holds nothing. It writes the first document it is given.
  app.get('/chat/card', async (_request, reply) =>
    send(reply, {
      policy: `sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; ${ancestors(hosts)}`,
      html: `<!doctype html><meta charset="utf-8"><title></title><script>
addEventListener('message', ({ source, data }) => {
  if (source !== parent || data?.type !== 'ck:html') return
  document.open()
  document.write(data.html)
  document.close()
})
parent.postMessage({ type: 'ck:frame' }, '*')
</script>`,
    }),
  )
}

const ancestors = (hosts: readonly string[]) => `frame-ancestors ${["'self'", ...hosts].join(' ')}`

function send(reply: FastifyReply, { policy, html }: { policy: string; html: string }): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': policy,
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .send(html)
}
