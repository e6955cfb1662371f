import {
  BRIDGE_PROTOCOL,
  type BridgeMeta,
  hostOrigins,
  makeEnvelope,
  readEnvelope,
} from '@parley/protocol/bridge-envelope'
import type { ParleyChatElement } from './parley-chat-element.ts'

/** How long the page around the chat may take to find a token. */
const TOKEN_PATIENCE_MS = 30_000
const MAX_TOKEN = 8192
const MAX_LABEL = 200

type Handler = (payload: unknown, meta: BridgeMeta) => unknown

/**
 * [W14.7] The chat in the frame and the page around it. Heard are envelopes of the window around this one whose origin is
 * on the list; told is that origin alone.
 *
 *     frame ── ready, tokenNeeded, error, actions of tools ──▶ host
 *     frame ◀── setToken, addContext, appendInput, sendMessage, uploadSessionSkill, hello ── host
 */
export function connectFrame(chat: ParleyChatElement, allowed: ReadonlySet<string>): void {
  const host = window.parent
  const { ancestorOrigins } = window.location as { ancestorOrigins?: DOMStringList }
  let heard: string | null = null
  let session = ''
  const tokens = createTokenDesk(() => post('tokenNeeded'))
  const told = new WeakSet<object>()

  const post = (action: string, payload?: unknown, meta: BridgeMeta = {}) => {
    const envelope = makeEnvelope('agent-to-host', { action, payload, meta }, Date.now())
    for (const origin of hostOrigins(allowed, heard, ancestorOrigins?.[0])) host.postMessage(envelope, origin)
  }
  const tell = (error: unknown, meta: BridgeMeta = {}) => {
    const { code = 'internal_error', message = String(error) } = (error ?? {}) as { code?: string; message?: string }
    if (typeof error === 'object' && error !== null) {
      if (told.has(error)) return
      told.add(error)
    }
    post('error', { code, message }, meta)
  }

  const handlers: Record<string, Handler> = {
    hello: () => post('ready', { protocol: BRIDGE_PROTOCOL }),
    setToken(payload) {
      const token = asRecord(payload)['token']
      if (typeof token !== 'string' || token === '' || token.length > MAX_TOKEN)
        throw invalid('setToken takes { token }.')
      tokens.give(token)
    },
    addContext(payload) {
      const { label, content } = asRecord(payload)
      if (typeof label !== 'string' || label === '' || content === undefined)
        throw invalid('addContext takes { label, content }.')
      return chat.injectApplicationContext({ title: label.slice(0, MAX_LABEL), data: content })
    },
    appendInput(payload) {
      const text = textOf(payload)
      if (text === undefined) throw invalid('appendInput takes { text } or a string.')
      return chat.appendInput(text)
    },
    async sendMessage(payload) {
      const text = textOf(payload)
      const { mode } = asRecord(payload)
      if (payload !== undefined && payload !== null && text === undefined)
        throw invalid('sendMessage takes { text, mode? }, a string, or nothing for the draft.')
      if (mode === 'planning' || mode === 'executing') await chat.setMode(mode)
      await (text === undefined ? chat.sendInput() : chat.send(text))
    },
    uploadSessionSkill(payload, { sessionId }) {
      const { name, files } = asRecord(payload)
      if (typeof name !== 'string' || !Array.isArray(files)) throw invalid('uploadSessionSkill takes { name, files }.')
      const id = typeof sessionId === 'string' ? sessionId : session
      if (!id) throw Object.assign(new Error('No conversation has begun yet.'), { code: 'session_not_found' })
      return uploadSkill(id, { name, files }, tokens.current())
    },
  }

  window.addEventListener('message', ({ origin, source, data }: MessageEvent<unknown>) => {
    if (source !== host || !allowed.has(origin)) return
    const request = readEnvelope(data, 'host-to-agent')
    if (!request) return
    heard = origin
    const { action, payload, meta } = request
    const handler = Object.hasOwn(handlers, action) ? handlers[action] : undefined
    const known = Object.keys(handlers).join(', ')
    const work = async () => {
      if (!handler) throw invalid(`There is no action "${action.slice(0, 100)}"; these are: ${known}.`)
      await handler(payload, meta)
    }
    work().catch((error: unknown) => tell(error, meta))
  })

  chat.getToken = tokens.get
  chat.bridgeActions = ['*']
  chat.addEventListener('chatkit:bridge', (event) => {
    const { action, payload, toolCallID } = (event as CustomEvent<Bridged>).detail
    post(action, payload, { toolCallId: toolCallID, ...(session && { sessionId: session }) })
  })
  chat.addEventListener('chatkit:conversation', (event) => {
    session = (event as CustomEvent<{ conversationID: string }>).detail.conversationID
  })
  chat.addEventListener('chatkit:error', (event) => tell((event as CustomEvent<unknown>).detail))
  post('ready', { protocol: BRIDGE_PROTOCOL })
}

type Bridged = { action: string; payload: unknown; toolCallID: string }

/** Tokens come when they are asked for, or before; each is handed out once. */
function createTokenDesk(askFor: () => void) {
  let next = ''
  let used = ''
  let waiting: ((token: string) => void)[] = []
  const take = () => {
    used = next
    next = ''
    return used
  }
  return {
    current: () => used,
    give(token: string) {
      next = token
      const resolve = waiting
      waiting = []
      if (resolve.length > 0) take()
      for (const done of resolve) done(used)
    },
    get: (): Promise<string> => {
      if (next) return Promise.resolve(take())
      return new Promise((resolve, reject) => {
        const late = () =>
          reject(new Error('The page around the chat gave none. Answer "tokenNeeded" with setToken { token }.'))
        const timer = setTimeout(late, TOKEN_PATIENCE_MS)
        waiting.push((token) => {
          clearTimeout(timer)
          resolve(token)
        })
        askFor()
      })
    },
  }
}

async function uploadSkill(session: string, skill: object, token: string): Promise<void> {
  const response = await fetch(`/api/sessions/${encodeURIComponent(session)}/skills:upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(skill),
    credentials: 'omit',
  })
  if (response.ok) return
  const { code = 'internal_error', detail = '' } = (await response.json().catch(() => ({}))) as Record<string, string>
  throw Object.assign(new Error(detail), { code })
}

function textOf(payload: unknown): string | undefined {
  const text = typeof payload === 'string' ? payload : asRecord(payload)['text']
  return typeof text === 'string' ? text : undefined
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

const invalid = (message: string) => Object.assign(new Error(message), { code: 'invalid_payload' })
