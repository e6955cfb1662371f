// Written from wire-protocol 14.5 – 14.7 alone, as a program of the origin would be. Knows nothing of Parley.
import '@blade-hq/agent-kit/style.css'
import { ChatView, type ToolCallProps, type ToolRendererProps } from '@blade-hq/agent-kit/chat'
import {
  BladeClientProvider,
  bootstrapBladeClient,
  buildMessageContent,
  connectHost,
  sessionsApi,
  uploadFiles,
  useBladeClient,
  useChat,
  useGisStore,
  useSessionStore,
  useUiBridgeStore,
} from '@blade-hq/agent-kit/react'
import { StrictMode, useEffect, useRef, useState, version } from 'react'
import { createRoot } from 'react-dom/client'

const query = new URLSearchParams(location.search)
const theme = (query.get('theme') ?? 'light') as 'light' | 'dark'
document.documentElement.lang = query.get('lang') ?? 'en'

const server = { baseUrl: query.get('server') ?? '', token: query.get('token') }
/** Newer programs leave the client to the provider. */
const client = query.has('provider') ? null : bootstrapBladeClient({ ...server, token: () => server.token })
const log = { errors: [] as string[], called: [] as string[], commands: [] as unknown[], previews: [] as unknown[] }
addEventListener('error', ({ message }) => log.errors.push(message))
addEventListener('unhandledrejection', ({ reason }) => log.errors.push(String(reason)))
const allowed = query.get('allow')
if (allowed) connectHost({ allowedOrigins: allowed.split(',') })

/** The map of the page: does what the agent asks of it, once. */
function CityMap({ sessionId }: { sessionId: string }) {
  const [lit, setLit] = useState<string[]>([])
  const commands = useGisStore((state) => state.pendingMapCommandsBySession[sessionId] ?? [])
  useEffect(() => {
    for (const { id, action, payload } of commands) {
      if (action === 'map.highlight') setLit((payload as { cityIds: string[] }).cityIds)
      useGisStore.getState().consumeMapCommand(sessionId, id)
    }
  }, [commands, sessionId])
  return <output id="map">{lit.join(',')}</output>
}

function GlobCard({ toolCall }: ToolRendererProps) {
  const { pattern } = JSON.parse(toolCall.arguments) as { pattern: string }
  return (
    <p className="glob-card">
      {toolCall.name} {pattern} {toolCall.status}
    </p>
  )
}

function OwnToolCall({ toolCall, onAnswer, answerData, sessionStatus, children }: ToolCallProps) {
  const isOpen = toolCall.name === 'AskUserQuestion' && toolCall.status === 'awaiting_answer'
  return (
    <section className="own-call" data-status={toolCall.status} data-session={sessionStatus}>
      {isOpen ? (
        <button
          type="button"
          onClick={() => onAnswer('first ones', toolCall.id, { selections: { 0: [0], 1: [0] }, custom: {} })}
        >
          Take the first ones
        </button>
      ) : (
        children
      )}
      <i>{answerData[toolCall.id]?.answers[0]?.selected.join()}</i>
    </section>
  )
}

const custom = {
  classNames: {
    root: 'x-root',
    messageListRoot: 'x-list-root',
    messageListContent: 'x-list-content',
    messageListInner: 'x-list-inner',
    emptyState: 'x-empty',
    userMessage: 'x-user',
    assistantTurn: 'x-turn',
    assistantText: 'x-text',
    errorMessage: 'x-error',
    toolCall: 'x-call',
    chatInputRoot: 'x-input-root',
    chatInputInner: 'x-input-inner',
    skillStatusBarRoot: 'x-skills-root',
    skillStatusBarInner: 'x-skills-inner',
    viewerBanner: 'x-banner',
  },
  components: {
    EmptyState: () => <p className="own-empty">Nothing here yet</p>,
    ToolCall: OwnToolCall,
    ...(query.has('turns') && {
      UserMessage: ({ message }: { message: { content: unknown } }) => (
        <q className="own-user">{String(message.content)}</q>
      ),
      AssistantTurn: ({ message }: { message: { content: unknown } }) => (
        <blockquote className="own-turn">{String(message.content)}</blockquote>
      ),
    }),
  },
  renderers: { tool: { Glob: GlobCard } },
}

function Application() {
  const [sessionId, setSessionId] = useState(query.get('session') ?? '')
  const isAsked = useRef(false)
  useEffect(() => {
    if (isAsked.current || sessionId || query.has('own-session')) return
    isAsked.current = true
    void sessionsApi.createSession('existing program').then(({ session_id }) => {
      if (!query.has('inactive')) useSessionStore.getState().setActiveSession(session_id)
      setSessionId(session_id)
    })
  }, [sessionId])
  const active = useSessionStore((state) => state.activeSessionId)
  Object.assign(window, { client: useBladeClient(), setSessionId })
  const id = sessionId || (active ?? '')
  if (!sessionId && !query.has('own-session')) return <p>Loading…</p>
  return (
    <div className="page">
      <header>
        <b data-session={id}>{active ?? 'no active session'}</b>
        <CityMap sessionId={id} />
      </header>
      {query.has('hook') ? (
        <OwnChat sessionId={sessionId} />
      ) : (
        <div className="chat-place">
          <ChatView
            {...(sessionId && { sessionId })}
            {...(query.has('custom') ? custom : {})}
            {...(query.has('plain') && { features: { modelSelector: false, voiceInput: false, skillMention: false } })}
            theme={theme}
            commands={{ 'map.highlight': (payload) => log.commands.push(payload) }}
            onToolCall={({ name }) => log.called.push(name)}
            {...(query.has('preview') && { onPreview: (card) => log.previews.push(card.title) })}
          />
        </div>
      )}
    </div>
  )
}

/** A chat of the program's own, on the hook alone. */
function OwnChat({ sessionId }: { sessionId: string }) {
  const chat = useChat(sessionId)
  Object.assign(window, { chat })
  return (
    <ol id="messages" data-streaming={chat.isStreaming} data-stopping={chat.isStopping} data-error={chat.error}>
      {chat.messages.map(({ role, content, entry_id, status, tool_calls = [] }) => (
        <li key={entry_id ?? role} data-role={role} data-status={status}>
          {typeof content === 'string' ? content : JSON.stringify(content)}
          {tool_calls.map((call) => ` ${call.name}:${call.status}`)}
        </li>
      ))}
    </ol>
  )
}

Object.assign(window, { log, buildMessageContent, uploadFiles, useUiBridgeStore, reactVersion: version })
createRoot(document.querySelector('#app')!).render(
  <StrictMode>
    <BladeClientProvider {...(client ? { client } : server)}>
      <Application />
    </BladeClientProvider>
  </StrictMode>,
)
