import {
  type BladeBridgeEnvelope,
  type BridgeMeta,
  checkOrigins,
  makeEnvelope,
  readEnvelope,
} from '@parley/protocol/bridge-envelope'
import { asRecord } from './as-record.ts'

export type EmbeddedOptions = {
  iframe: HTMLIFrameElement
  /** Origins the chat may come from. What other pages in the iframe say is not heard, and nothing is said to them. */
  allowedOrigins: readonly string[]
  /** The agent asks something of this page, e.g. `map.highlight`. Do only what you know. */
  onAction?: (action: string, payload: unknown, meta: BridgeMeta) => void
  /** A token for the chat's visitor, from your own server: asked for when the chat starts and when its token ends. */
  getToken?: () => string | Promise<string>
  onReady?: () => void
  onError?: (error: { code: string; message: string }) => void
}

export type EmbeddedChat = {
  /** A pill above the chat's input, merged into the next message. */
  addContext: (context: { label: string; content: unknown }) => void
  appendInput: (text: string) => void
  /** Without a message, the text in the chat's input. */
  sendMessage: (message?: string | { text: string; mode?: 'planning' | 'executing' }) => void
  uploadSessionSkill: (skill: { name: string; files: { path: string; content: string }[] }) => void
  /** Hands a token over before it is asked for. */
  setToken: (token: string) => void
  /** Any request; those above are made of it. What is asked before the chat is ready waits for it. */
  post: (action: string, payload?: unknown, meta?: BridgeMeta) => void
  disconnect: () => void
}

/** Asked before the chat was ready. */
const MAX_WAITING = 100

/** [W14.7] For the page around an iframe with a chat in it. */
export function connectEmbedded(options: EmbeddedOptions): EmbeddedChat {
  const { iframe, onAction, getToken, onReady, onError } = options
  const origins = checkOrigins(options.allowedOrigins)
  const waiting: BladeBridgeEnvelope[] = []
  let heard: string | null = null

  const tell = (envelope: BladeBridgeEnvelope, origin: string) => iframe.contentWindow?.postMessage(envelope, origin)
  const post: EmbeddedChat['post'] = (action, payload, meta = {}) => {
    const envelope = makeEnvelope('host-to-agent', { action, payload, meta }, Date.now())
    if (heard !== null) tell(envelope, heard)
    else if (waiting.length < MAX_WAITING) waiting.push(envelope)
  }
  const onMessage = ({ origin, source, data }: MessageEvent<unknown>) => {
    if (source === null || source !== iframe.contentWindow || !origins.has(origin)) return
    const message = readEnvelope(data, 'agent-to-host')
    if (!message) return
    const { action, payload, meta } = message
    heard = origin
    for (const envelope of waiting.splice(0)) tell(envelope, origin)
    if (action === 'tokenNeeded' && getToken) return void giveToken(getToken)
    if (action === 'ready') onReady?.()
    else if (action === 'error') onError?.(errorOf(payload))
    else onAction?.(action, payload, meta)
  }

  const giveToken = async (ask: () => string | Promise<string>) => {
    try {
      post('setToken', { token: await ask() })
    } catch (error) {
      // The chat tells its visitor when none comes.
      onError?.({ code: 'unauthorized', message: error instanceof Error ? error.message : String(error) })
    }
  }

  window.addEventListener('message', onMessage)
  // A chat that was ready before this page listened says so again.
  const expected = originOf(iframe)
  if (isLoaded(iframe) && origins.has(expected))
    tell(makeEnvelope('host-to-agent', { action: 'hello' }, Date.now()), expected)
  return {
    addContext: (context) => post('addContext', context),
    appendInput: (text) => post('appendInput', { text }),
    sendMessage: (message) => post('sendMessage', typeof message === 'string' ? { text: message } : message),
    uploadSessionSkill: (skill) => post('uploadSessionSkill', skill),
    setToken: (token) => post('setToken', { token }),
    post,
    disconnect: () => window.removeEventListener('message', onMessage),
  }
}

function errorOf(payload: unknown): { code: string; message: string } {
  const { code, message } = asRecord(payload) ?? {}
  return {
    code: typeof code === 'string' ? code : 'internal_error',
    message: typeof message === 'string' ? message : '',
  }
}

function originOf({ src }: HTMLIFrameElement): string {
  return URL.canParse(src) ? new URL(src).origin : ''
}

/** Until its page is there, a frame holds an empty one that this page may read. */
function isLoaded({ contentDocument }: HTMLIFrameElement): boolean {
  return contentDocument === null || contentDocument.URL !== 'about:blank'
}
