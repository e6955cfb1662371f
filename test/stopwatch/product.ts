/** What somebody writes who puts an agent into a product: three files, as short as they can be. */
export type Ports = { parley: number; shop: number }

export const SECRET = 'what the shop and its agent server both know'

/** A function of the shop as a tool. `high` asks the visitor before every call. */
export const config = ({ parley, shop }: Ports) => `import { defineTool } from '@parley/tools'
import { z } from 'zod'

export default {
  port: ${parley},
  language: 'en',
  allowedOrigins: ['http://127.0.0.1:${shop}'],
  visitors: { secret: '${SECRET}', issuer: 'shop', audience: 'parley', scopes: ['chat', 'decide'] },
  tools: [
    defineTool({
      name: 'refund',
      description: 'Pays the price of an order back.',
      input: z.object({ order: z.string() }),
      risk: 'high',
      async run({ order }, { subject }) {
        const answer = await fetch('http://127.0.0.1:${shop}/refunds', { method: 'POST', body: subject + ' ' + order })
        return answer.json()
      },
    }),
  ],
}
`

/** The shop: a page with the chat, a token for whoever is signed in, and the refunds that it has made. */
export const shop = ({ parley, shop: port }: Ports) => `import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const page = \`<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1>
<script defer src="http://127.0.0.1:${parley}/embed.js" data-token-url="/token"></script>\`
const refunds = []
const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')

function sign(user) {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: 'shop', aud: 'parley', sub: user, iat: now, exp: now + 600 }
  const token = part({ alg: 'HS256' }) + '.' + part(claims)
  return token + '.' + createHmac('sha256', '${SECRET}').update(token).digest('base64url')
}

createServer(async (request, response) => {
  if (request.url === '/token') return response.end(sign('customer-42'))
  if (request.url !== '/refunds') return response.setHeader('content-type', 'text/html').end(page)
  if (request.method === 'POST') refunds.push(await text(request))
  response.end(JSON.stringify({ refunds }))
}).listen(${port}, '127.0.0.1', () => console.log('The shop is open.'))
`
