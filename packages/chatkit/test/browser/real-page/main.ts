/** One chat with the Parley server that the address names, as a product would mount it. */
import '../../../src/react/chatkit.css'
import '../page/page.css'
import { createElement, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { agentSse, ChatKit, onedragon, parley } from '../../../src/index.ts'

const query = new URLSearchParams(location.search)
const locale = query.get('locale') ?? 'en'
document.documentElement.lang = locale
document.documentElement.dir = query.get('dir') ?? 'ltr'

const log = { conversations: [] as string[], bridged: [] as unknown[], errors: [] as string[] }
addEventListener('error', ({ message }) => log.errors.push(message))
addEventListener('unhandledrejection', ({ reason }) => log.errors.push(String(reason)))
Object.assign(window, { test: log })

/** By the protocol that the address names. */
const ADAPTERS = { parley, 'agent-sse': agentSse, onedragon }
const speak = ADAPTERS[(query.get('adapter') ?? 'parley') as keyof typeof ADAPTERS]

const chat = createElement(ChatKit, {
  adapter: speak({ baseUrl: query.get('server') ?? '' }),
  token: query.get('token') ?? '',
  locale,
  mode: query.get('mode') === 'copilot' ? 'copilot' : 'assistant',
  theme: (query.get('theme') ?? 'light') as 'light' | 'dark',
  conversationID: query.get('conversation') ?? undefined,
  conversationStart: query.get('start') === 'eager' ? 'eager' : 'lazy',
  onConversationChange: (id) => void log.conversations.push(id),
  onBridge: (action, payload) => void log.bridged.push([action, payload]),
})
createRoot(document.querySelector('#chat')!).render(createElement(StrictMode, null, chat))
