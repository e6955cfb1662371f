// The page around the chat: another origin, and no React.
import { connectEmbedded } from '@blade-hq/agent-kit/react'

const query = new URLSearchParams(location.search)
const iframe = document.querySelector<HTMLIFrameElement>('#chat')!
const heard: unknown[] = []
const errors: unknown[] = []
iframe.src = query.get('chat') ?? ''
const chat = connectEmbedded({
  iframe,
  allowedOrigins: (query.get('trust') ?? new URL(iframe.src).origin).split(','),
  onAction: (action, payload, meta) => heard.push([action, payload, meta.toolCallId]),
  ...(query.has('token') && { getToken: () => query.get('token') ?? '' }),
  onReady: () => heard.push(['ready']),
  onError: (error) => errors.push(error),
})
Object.assign(window, { chat, heard, errors, connectEmbedded })
