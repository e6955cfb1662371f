import { ChatKit, parley } from '@parley/chatkit'
import '@parley/chatkit/chatkit.css'

const adapter = parley({ baseUrl: 'http://127.0.0.1:8020' })

async function getToken(): Promise<string> {
  const reply = await fetch('/chat-token', { method: 'POST' })
  return ((await reply.json()) as { token: string }).token
}

export function Help({ token }: { token: string }) {
  return (
    <ChatKit adapter={adapter} token={token} refreshToken={getToken} mode="copilot" />
  )
}
