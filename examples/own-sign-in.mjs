// A product with a sign-in of its own: it signs a short-lived JWT for whoever is signed in, and that is their token for the
// chat. No API key, no call to Parley. Beside Parley, in parley.config.json, stands the same secret (or `jwks` or `publicKey`):
//   { "visitors": { "secret": "…", "issuer": "https://shop.example", "audience": "parley" } }
// Then: SHOP_SECRET=… node examples/own-sign-in.mjs
import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'

const { PARLEY_URL = 'http://127.0.0.1:8020', SHOP_SECRET = '', PORT = '8040' } = process.env
if (Buffer.byteLength(SHOP_SECRET) < 32) {
  process.stderr.write(
    'SHOP_SECRET must be set: at least 32 bytes, the same as visitors.secret in parley.config.json.\n',
  )
  process.exit(2)
}
const signedIn = new Map() // Yours is a database, and asks for a password.
const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')

function tokenFor(name) {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: 'https://shop.example', aud: 'parley', sub: name, name, iat: now, exp: now + 600 }
  const input = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${input}.${createHmac('sha256', SHOP_SECRET).update(input).digest('base64url')}`
}

const FORM =
  '<form method="post" action="/login"><label>Name <input name="name" /></label> <button>Sign in</button></form>'
const CHAT = `<p>You are signed in.</p><script defer src="${PARLEY_URL}/embed.js"></script><script type="module">
ParleyChat.setGetToken(async () => (await fetch('/token', { method: 'POST' })).text())</script>`

const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
server.listen(Number(PORT), '127.0.0.1', () => process.stdout.write(`Open http://127.0.0.1:${server.address().port}\n`))

async function answer(request, response) {
  const session = /session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1]
  const name = signedIn.get(session)
  if (request.url === '/login' && request.method === 'POST') {
    const id = randomUUID()
    signedIn.set(id, new URLSearchParams(await new Response(request).text()).get('name'))
    response.writeHead(303, { location: '/', 'set-cookie': `session=${id}; HttpOnly; SameSite=Lax` }).end()
  } else if (request.url === '/token' && request.method === 'POST')
    response.writeHead(name ? 200 : 401, { 'cache-control': 'no-store' }).end(name && tokenFor(name))
  else
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><title>Shop</title>${name ? CHAT : FORM}`)
}
