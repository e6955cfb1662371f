/** What the scripted server answers over HTTP. */
import type { ScriptedServer } from './scripted-server.ts'

export type Answer = { status: number; body?: unknown }
export type Asked = { method: string; url: URL; authorization: string | undefined; body: unknown }

export function answerTo(server: ScriptedServer, { method, url, ...request }: Asked): Answer | Promise<Answer> {
  const own = server.routes[`${method} ${url.pathname}`]
  if (own) return own({ ...request, url })
  if (url.pathname === '/api/version')
    return {
      status: 200,
      body: { version: '1.0.0', min_sdk: '0.0.0', protocol: '1.0', capabilities: server.capabilities },
    }
  if (!server.keys.has(request.authorization?.replace('Bearer ', '') ?? ''))
    return { status: 401, body: { detail: 'Unknown key.', code: 'unauthorized' } }
  if (method === 'POST' && url.pathname === '/api/sessions') {
    const session = server.session()
    session.intent = (request.body as { intent?: string }).intent ?? ''
    return { status: 200, body: { session_id: session.id, ...session.record() } }
  }
  if (method === 'GET' && url.pathname === '/api/sessions') return { status: 200, body: pageOf(server, url) }
  const [, id = '', tail] = /^\/api\/sessions\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? []
  const session = server.sessions.get(decodeURIComponent(id))
  if (!session) return { status: 404, body: { detail: 'No such session.', code: 'session_not_found' } }
  if (tail === '/messages') return { status: 200, body: session.page(url.searchParams) }
  if (tail === '/tasks') return { status: 200, body: [] }
  if (method === 'DELETE') return { status: 200, body: { deleted: server.sessions.delete(session.id) } }
  return { status: 200, body: session.record() }
}

function pageOf({ sessions }: ScriptedServer, { searchParams }: URL) {
  const limit = Number(searchParams.get('limit') ?? 20)
  const offset = Number(searchParams.get('offset') ?? 0)
  const items = [...sessions.values()].map((session) => session.record())
  return {
    items: items.slice(offset, offset + limit),
    total: items.length,
    limit,
    offset,
    content_match_truncated: false,
  }
}
