/** A console in front of a server that asks about much, and what waits there. */
import type { Inbox } from '@parley/protocol/rest'
import type { Page } from 'playwright-core'
import type { ServerOptions } from '../../../../packages/server/src/config/options.ts'
import type { FakeReply, FakeRequest } from '../../../../packages/testkit/src/index.ts'
import { type Console, echo, openConsole } from './open-console.ts'

export const POLICY: NonNullable<ServerOptions['policy']> = {
  rules: [
    { tool: 'Read', decision: 'allow' },
    { tool: 'Bash', arguments: { command: 'git *' }, decision: 'ask' },
    { tool: 'Bash', decision: 'ask' },
    { tool: 'Write', arguments: { file_path: 'deploy/*' }, decision: 'ask' },
    { tool: 'Edit', arguments: { file_path: 'deploy/*' }, decision: 'ask' },
    { tool: 'Write', arguments: { file_path: 'notes/*' }, decision: 'ask' },
  ],
  headless: 'deny',
  confirmationMinutes: 15,
}

/** `call`: what the agent wants, after it said `text`. */
export type Wish = { title: string; text?: string; call: { name: string; arguments: object } }

export type Approvals = Console & {
  /** A session whose agent wants this, and waits; its confirmation's or question's id. */
  wish: (wish: Wish, options?: { files?: Record<string, string> }) => Promise<{ id: string; session_id: string }>
}

export async function openApprovals(options: Partial<ServerOptions> = {}): Promise<Approvals> {
  const wishes = new Map<string, Wish>()
  const reply = (request: FakeRequest): FakeReply => {
    const wish = wishes.get(request.question)
    if (!wish || request.results.length > 0) return echo(request)
    return { ...(wish.text && { text: wish.text }), calls: [wish.call] }
  }
  const world = await openConsole({ reply, options: { policy: POLICY, ...options } })
  const { plaintext } = await world.api<{ plaintext: string }>('POST', '/api/user/api-keys', { name: 'wishes' })
  return {
    ...world,
    async wish(wish, { files = {} } = {}) {
      wishes.set(wish.title, wish)
      const { session_id } = await world.api<{ session_id: string }>('POST', '/api/sessions', { intent: wish.title })
      for (const [path, content] of Object.entries(files))
        await world.api('PUT', `/api/sessions/${session_id}/files/${path}`, { content })
      // Until the run waits, or ends: the stream does, too.
      const stream = await fetch(`${world.url}/api/sessions/${session_id}/chat`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${plaintext}`, accept: 'text/event-stream', 'content-type': 'application/json' },
        },
        body: JSON.stringify({ message: wish.title, headless: false }),
      })
      await stream.text()
      const { items } = await world.api<Inbox>('GET', '/api/inbox')
      const found = items.find((item) => item.kind !== 'tool' && item.session_id === session_id)
      return { id: found!.id, session_id }
    },
    [Symbol.asyncDispose]: world[Symbol.asyncDispose],
  }
}

export const NGINX = `${Array.from({ length: 17 }, (_, at) => `# ${at + 1}`).join('\n')}
location /import/ {
    proxy_pass http://importer;
    client_max_body_size 10m;
    proxy_read_timeout 30s;
}
`
const OLD = '    client_max_body_size 10m;\n    proxy_read_timeout 30s;\n'
const NEW = `    client_max_body_size 64m;
    proxy_read_timeout 120s;
    proxy_request_buffering off;
    limit_except POST PUT {
        deny all;
    }
`
export const EDIT = {
  title: 'Import supplier price lists',
  text: 'Uploads above 10 MB were refused by the proxy. I raise the limit for the import path only and leave the rest as it is.',
  call: { name: 'Edit', arguments: { file_path: 'deploy/nginx.conf', old_string: OLD, new_string: NEW } },
}

export const command = (title: string, text: string): Wish => ({
  title,
  text: `I need ${title}.`,
  call: { name: 'Bash', arguments: { command: text } },
})

export const rowOf = (page: Page, id: string) => page.locator(`a[data-item="${id}"]`)
export const statusOf = async (world: Console, id: string) =>
  (await world.api<{ status: string }>('GET', `/api/inbox/${id}`)).status

/** Keys decide only once somebody can have looked. */
export const takesKeys = (page: Page) => page.locator('footer[data-takes-keys]').waitFor()
