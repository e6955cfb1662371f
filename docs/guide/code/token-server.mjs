// A part of your own back end. It knows who is signed in and asks Parley for a token
// for them; the key stays here.
import { createServer } from 'node:http'

const { PARLEY_URL = 'http://127.0.0.1:8020', PARLEY_KEY, PORT = '3000' } = process.env

const server = createServer((request, response) => {
  if (request.method !== 'POST' || request.url !== '/chat-token')
    return void response.writeHead(404).end()
  const subject = 'user-42' // from your own sign-in, never from the request's body
  makeToken(subject)
    .then((token) => response.setHeader('content-type', 'application/json').end(token))
    .catch(() => response.writeHead(502).end())
})

async function makeToken(subject) {
  const reply = await fetch(`${PARLEY_URL}/api/auth/tokens`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${PARLEY_KEY}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ subject, scopes: ['chat', 'files'] }),
  })
  if (!reply.ok) throw new Error(`Parley answered ${reply.status}`)
  return reply.text()
}

server.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`Tokens at port ${server.address().port}`),
)
