export const KINDS = ['script', 'element', 'react', 'iframe', 'http', 'socket'] as const
export type Kind = (typeof KINDS)[number]

export const isKind = (text: string): text is Kind => (KINDS as readonly string[]).includes(text)

type Filled = { origin: string; heading: string }

/** What a product's page needs, as it is: a test runs each against a server. */
export function snippetOf(kind: Kind, { origin, heading }: Filled): string {
  return SNIPPETS[kind].replaceAll('{origin}', origin).replaceAll('{heading}', heading)
}

const SNIPPETS: Record<Kind, string> = {
  script: `<script defer src="{origin}/embed.js" data-title="{heading}"></script>
<script type="module">
  ParleyChat.setGetToken(async () => (await fetch('/token', { method: 'POST' })).text())
</script>`,
  element: `<script defer src="{origin}/embed.js" data-launcher="off"></script>
<parley-chat server="{origin}" mode="assistant" heading="{heading}"></parley-chat>
<script type="module">
  document.querySelector('parley-chat').getToken = async () => (await fetch('/token', { method: 'POST' })).text()
</script>`,
  react: `import { ChatKit, parley } from '@parley/chatkit'
import '@parley/chatkit/chatkit.css'

const getToken = async () => (await fetch('/token', { method: 'POST' })).text()
const adapter = parley({ baseUrl: '{origin}' })

export const Chat = () => <ChatKit adapter={adapter} refreshToken={getToken} title="{heading}" />`,
  iframe: `<iframe src="{origin}/chat?heading={heading}" style="width: 400px; height: 600px; border: 0"></iframe>`,
  http: `curl -s {origin}/api/sessions -H "Authorization: Bearer $PARLEY_KEY" \\
  -H 'content-type: application/json' -d '{}'
curl -s {origin}/api/sessions/$SESSION/chat -H "Authorization: Bearer $PARLEY_KEY" \\
  -H 'content-type: application/json' -d '{"message": "Hello"}'`,
  socket: `import { ParleyClient } from '@parley/client'

const client = new ParleyClient({ baseUrl: '{origin}', token: process.env.PARLEY_KEY })
using session = await client.sessions.create()
session.subscribe(() => console.log(session.getState().turns.at(-1)))
await session.send('Hello')`,
}

/** The part of the product's own server that lets visitors in. The key never leaves it. */
export const TOKEN_SNIPPET = `// Node: your server knows the visitor, and makes a token that is good for an hour
app.post('/token', async (request, response) => {
  const answer = await fetch('{origin}/api/auth/tokens', {
    method: 'POST',
    headers: {
      authorization: \`Bearer \${process.env.PARLEY_KEY}\`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ subject: request.user.id, scopes: ['chat', 'files'] }),
  })
  response.type('text/plain').send((await answer.json()).token)
})`
