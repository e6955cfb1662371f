import { flushSync } from 'react-dom'
import { parley } from '../adapters/parley/parley.ts'
import { chatKitError } from '../model/chat-kit-error.ts'
import { mountChatKit, type MountedChatKit } from '../react/kit/mount-chat-kit.tsx'
import type { Security } from '../react/kit/kit-context.ts'
import type { ChatSettings } from './chat-settings.ts'

/** What the element's owner decides, read when it is needed. */
export type ChatHost = {
  /** A fresh token; undefined when the page gave no `getToken`. */
  refreshToken: () => (() => Promise<string>) | undefined
  mayBridge: (action: string) => boolean
  security: () => Security | undefined
  emit: (name: 'bridge' | 'close' | 'conversation' | 'error' | 'message', detail?: unknown) => void
}

/** What a chat hands to the one that takes its place. */
export type Kept = { conversationID: string; textInput: string }

export type ShownChat = {
  kit: MountedChatKit
  apply: (before: ChatSettings, after: ChatSettings) => void
  hostChanged: () => void
  hasToken: () => boolean
  /** Before the present one ends. A failure shows when the next request is refused. */
  renewToken: () => void
  /** Unmounts it and closes its connection. */
  leave: () => Kept
}

type Opening = { settings: ChatSettings; token: string; host: ChatHost; kept: Kept | undefined }

/** One chat with one server, drawn into `frame` before this returns. */
export function showChat(frame: Element, { settings, token, host, kept }: Opening): ShownChat {
  const onBridge = (action: string, payload: unknown, { toolCallID }: { toolCallID: string }) => {
    if (host.mayBridge(action)) return host.emit('bridge', { action, payload, toolCallID })
    const message = `The page does not allow the action "${action}". Add it to bridgeActions to receive it.`
    host.emit('error', chatKitError('forbidden', message))
  }
  const onClose = () => host.emit('close')
  const look = ({ mode, theme, heading, isClosable }: ChatSettings) => ({
    mode,
    theme,
    title: heading,
    onClose: isClosable ? onClose : undefined,
    security: securityOf(settings.server, host.security()),
  })
  const open = () =>
    mountChatKit(frame, {
      adapter: parley({ baseUrl: settings.server, agent: settings.agent, ...openingOf(settings) }),
      token,
      refreshToken: host.refreshToken(),
      conversationID: kept?.conversationID || settings.session,
      remember: settings.remember,
      locale: settings.locale,
      ...look(settings),
      onBridge,
      onError: (error) => host.emit('error', error),
      onMessage: (message) => host.emit('message', message),
      onConversationChange: (conversationID) => host.emit('conversation', { conversationID }),
    })
  const kit = flushSync(open)
  if (kept?.textInput) kit.store.setTextInput(kept.textInput)

  return {
    kit,
    apply(before, after) {
      if (before.token !== after.token) kit.store.tokens.setToken(after.token)
      if (before.tokenUrl !== after.tokenUrl) kit.store.tokens.setRefreshToken(host.refreshToken())
      kit.update(look(after))
      if (before.session !== after.session) openSession(kit, after.session)
    },
    hostChanged() {
      kit.store.tokens.setRefreshToken(host.refreshToken())
      kit.update({ security: securityOf(settings.server, host.security()) })
    },
    hasToken: () => kit.store.tokens.token() !== '',
    renewToken() {
      kit.store.tokens.refresh(kit.store.tokens.token()).catch(() => {})
    },
    leave() {
      const { conversationID, textInput } = kit.store.getSnapshot()
      kit.unmount()
      return { conversationID, textInput }
    },
  }
}

/** What the page says in place of the usual greeting; half of it leaves the other half as it is. */
function openingOf({ greeting = '', questions }: ChatSettings) {
  if (greeting === '' && questions.length === 0) return {}
  return { onboarding: { prologue: greeting, predefinedQuestions: [...questions] } }
}

function openSession(kit: MountedChatKit, session: string): void {
  if (session === kit.store.getSnapshot().conversationID) return
  // The list shows a failure, and the element reports it.
  if (session) void kit.loadConversation(session).catch(() => {})
  else kit.store.clearConversation()
}

/** Pictures of the server itself load, whatever else the page allows. */
function securityOf(server: string, given: Security = {}): Security {
  const own = URL.canParse(server, location.href) ? [new URL(server, location.href).origin] : []
  return { ...given, imageHosts: [...(given.imageHosts ?? []), ...own] }
}
