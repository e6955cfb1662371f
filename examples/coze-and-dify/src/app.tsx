import { ChatKitCoze, ChatKitDify } from '@parley/chatkit'

/** Asks this page's own back end, which knows who is signed in. */
async function freshToken(): Promise<string> {
  const response = await fetch('/token', { method: 'POST' })
  if (!response.ok) throw new Error(`No token: ${response.status}`)
  return response.text()
}

/** The same chat over two platforms, side by side. Their addresses are paths of this site: see vite.config.ts. */
export function App() {
  return (
    <main className="app">
      <header>
        <h1>扣子与 Dify · Coze and Dify</h1>
        <p className="hint">同一个聊天组件，两个平台。 One chat kit, two platforms.</p>
      </header>
      <div className="chats">
        <ChatKitCoze
          title="Coze"
          baseUrl="/coze"
          botId="7379462189365198898"
          userId="visitor"
          token="expired"
          refreshToken={freshToken}
        />
        <ChatKitDify title="Dify" baseUrl="/dify/v1" userId="visitor" token="" suggestedQuestions />
      </div>
    </main>
  )
}
