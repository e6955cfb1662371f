import type { FastifyReply, FastifyRequest } from 'fastify'
import { escapeText } from '../../http/escape-text.ts'
import { readerOf } from '../../http/reader.ts'
import { say } from '../../words/phrases.ts'
import type { Face } from '../face.ts'
import { consoleFile, consolePage } from './console-files.ts'

/** What the console shows at addresses of its own (apps/console/src/routes.ts). Whatever else a browser asks for gets it as 404. */
export const CONSOLE_PATHS = [
  '/',
  '/s/*',
  '/sessions',
  ...['approvals', 'schedules', 'memory', 'knowledge', 'tools'].flatMap((page) => [`/${page}`, `/${page}/*`]),
  '/usage',
  '/embed',
  '/settings/*',
]

/**
 * The console (apps/console) at the server's own address. Open to everybody: it holds nothing but words, and asks for all
 * else like any other program.
 */
export const consoleFace: Face = {
  mount({ app, openId }) {
    const provider = openId && (openId.options.name ?? new URL(openId.options.issuer).host)
    const page = (status: number) => async (request: FastifyRequest, reply: FastifyReply) => {
      const { language } = readerOf(request)
      const built = await consolePage()
      if (built === undefined)
        return reply.code(503).type('text/plain; charset=utf-8').send(say('page.notBuilt', language))
      const named = provider === undefined ? '' : `<meta name="parley-openid" content="${escapeText(provider)}">`
      return reply
        .code(status)
        .type('text/html; charset=utf-8')
        .headers({
          'content-security-policy': policyFor(request.headers.host ?? ''),
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
          vary: [reply.getHeader('vary'), 'Accept-Language'].filter(Boolean).join(', '),
        })
        .send(built.replace('<html lang="en">', `<html lang="${language}">`).replace('</head>', `${named}</head>`))
    }
    for (const path of CONSOLE_PATHS) app.get(path, page(200))
    app.decorate('sendPage', page(404))

    app.get<{ Params: { name: string } }>('/assets/:name', (request, reply) =>
      sendFile(`assets/${request.params.name}`, request, reply),
    )
    app.get('/mark.svg', (request, reply) => sendFile('mark.svg', request, reply))
  },
}

/** Names of assets tell what is in them, so a browser never asks for one twice. */
async function sendFile(name: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const file = await consoleFile(name, request.headers['accept-encoding'] ?? '')
  if (!file) return reply.code(404).send({ detail: `The console has no file ${name}.`, code: 'not_found' })
  const lasting = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=300'
  void reply.headers({
    'cache-control': lasting,
    'x-content-type-options': 'nosniff',
    vary: [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '),
  })
  if (file.coding) void reply.header('content-encoding', file.coding)
  return reply.type(file.type).send(file.body)
}

/** In no frame: a page around it could lead somebody to a button. Its own frames: the preview, cards, pages that answers show. */
function policyFor(host: string): string {
  return `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' data: blob:; connect-src 'self' ws://${host} wss://${host}; frame-src 'self' https:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`
}
