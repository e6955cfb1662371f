import { useEffect, useMemo, useState, type ReactNode } from 'react'
import { defaultMarkdownOptions, MarkdownOptionsProvider } from '../../markdown/markdown-options.ts'
import { createChatStore, type ChatStore } from '../../store/create-chat-store.ts'
import { liveCallbacks, type StoreCallbacks } from '../../store/live-callbacks.ts'
import type { ChatStoreOptions } from '../../store/store-options.ts'
import { everyFrame } from './every-frame.ts'
import { AfterMessageContext, KitContext } from './kit-context.ts'
import { resolveKitOptions, type SkinProps } from './kit-options.ts'

export type StoreProviderProps = SkinProps & {
  store: ChatStore
  /** The parts only show: nothing can be answered, sent or asked again. Default false. */
  isReadOnly?: boolean | undefined
  children?: ReactNode
}

/** Puts a chat that somebody else made around the parts that show it. */
export function StoreProvider({ store, isReadOnly = false, children, ...skin }: StoreProviderProps) {
  // Hosts write these props inline; the parts below are drawn again only when one of them really is another.
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the values, not the object around them
  const options = useMemo(() => resolveKitOptions(skin), Object.values(pickSkin(skin)))
  const kit = useMemo(() => ({ store, options, isReadOnly }), [store, options, isReadOnly])
  const markdown = useMemo(
    () => ({
      ...defaultMarkdownOptions,
      ...options.markdown,
      texts: options.texts,
      imageHosts: options.security.imageHosts ?? [],
      showDestinations: options.security.showDestinations ?? true,
      headingOffset: 3,
    }),
    [options],
  )
  return (
    <KitContext.Provider value={kit}>
      <AfterMessageContext.Provider value={skin.renderAfterMessage}>
        <MarkdownOptionsProvider value={markdown}>{children}</MarkdownOptionsProvider>
      </AfterMessageContext.Provider>
    </KitContext.Provider>
  )
}

export type ChatKitProviderProps = SkinProps &
  Omit<ChatStoreOptions, 'schedule'> & { children?: ReactNode; visible?: boolean | undefined }

/** One chat with one back end, for as long as it is mounted. Another adapter is another chat. */
export function ChatKitProvider({ children, visible = true, ...props }: ChatKitProviderProps) {
  const store = useChatStore(props)
  const { token = '', refreshToken, defaultApplicationContext } = props
  useEffect(() => {
    store.tokens.setToken(token)
    store.tokens.setRefreshToken(refreshToken)
  }, [store, token, refreshToken])
  useEffect(() => store.setDefaultApplicationContext(defaultApplicationContext), [store, defaultApplicationContext])
  useEffect(() => {
    if (visible) void store.initialise()
  }, [store, visible])
  return (
    <StoreProvider {...props} store={store}>
      {children}
    </StoreProvider>
  )
}

/** A store that lives as long as the component. StrictMode unmounts and mounts at once: that must not end it. */
function useChatStore(options: Omit<ChatStoreOptions, 'schedule'>): ChatStore {
  const [held, setHeld] = useState(() => create(options))
  const isOther = held.adapter !== options.adapter
  useEffect(() => {
    held.callbacks.current = options
  })
  useEffect(() => {
    held.users++
    return () => {
      held.users--
      queueMicrotask(() => {
        if (held.users === 0) held.store.dispose()
      })
    }
  }, [held])
  if (!isOther) return held.store
  const next = create(options)
  setHeld(next)
  return next.store
}

function create(options: Omit<ChatStoreOptions, 'schedule'>) {
  const schedule = typeof requestAnimationFrame === 'undefined' ? {} : { schedule: everyFrame }
  const callbacks: { current: StoreCallbacks } = { current: options }
  const live = liveCallbacks(() => callbacks.current)
  return {
    adapter: options.adapter,
    store: createChatStore({ ...options, remember: options.remember ?? true, ...schedule, ...live }),
    callbacks,
    users: 0,
  }
}

/** The same props in the same order every time, as `useMemo` needs them. */
function pickSkin(skin: SkinProps): Required<{ [K in Exclude<keyof SkinProps, 'renderAfterMessage'>]: SkinProps[K] }> {
  const { locale, texts, security, components, classNames, drawerContainer, blocks, markdown, renderChart } = skin
  const { presetQuestions, announce, sendWith, maxLength, editable, showStatistics, disclaimer, onError, onBridge } =
    skin
  const { showAuthors, ownMessages } = skin
  return {
    ...{ locale, texts, security, components, classNames, drawerContainer, blocks, markdown, renderChart },
    ...{ presetQuestions, announce, sendWith, maxLength, editable, showStatistics, disclaimer, onError, onBridge },
    ...{ showAuthors, ownMessages },
  }
}
