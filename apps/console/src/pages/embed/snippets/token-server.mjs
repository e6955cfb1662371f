import { createServer } from 'node:http'

const headers = { authorization: `Bearer ${process.env.PARLEY_KEY}`, 'content-type': 'application/json' }
createServer(async (request, response) => {
  if (request.method !== 'POST' || request.url !== '/token') return response.writeHead(404).end()
  const subject = 'user-42' // from your own sign-in, never from the request's body
  const body = JSON.stringify({ subject, scopes: ['chat', 'files'] })
  const made = await fetch('http://127.0.0.1:8020/api/auth/tokens', { method: 'POST', headers, body })
  response.writeHead(made.status).end((await made.json()).token)
}).listen(process.env.PORT ?? 3000)
