import { findTextBox } from '../composer/find-text-box.ts'
import {
  forwardRef,
  useEffect,
  useRef,
  useState,
  type ComponentPropsWithoutRef,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import type { ChatStore } from '../../store/create-chat-store.ts'
import { StoreProvider } from './chat-kit-provider.tsx'
import { activeIn } from '../controls/active-in.ts'
import { dispatchBridge } from './bridge-event.ts'
import { elementProps } from './element-props.ts'
import { DrawerProvider } from '../frame/drawer.tsx'
import { Header } from '../frame/header.tsx'
import { LazyHistory } from './lazy-views.tsx'
import { joinClasses } from '../controls/join-classes.ts'
import { useKit } from './kit-context.ts'
import type { SkinProps } from './kit-options.ts'
import { LiveRegion } from '../frame/live-region.tsx'
import { part } from '../controls/part.ts'
import { Thread } from '../frame/thread.tsx'
import { useChatState } from './use-chat-kit.ts'

export type ViewProps = {
  /** `copilot`: a side panel. `assistant`: the application's main screen. Default `copilot`. */
  mode?: 'copilot' | 'assistant' | undefined
  /** `auto` follows the system. Default `auto`. */
  theme?: 'light' | 'dark' | 'auto' | undefined
  title?: string | undefined
  /** Default true. */
  visible?: boolean | undefined
  onClose?: (() => void) | undefined
  /** Default: true if the adapter can list conversations. */
  enableHistory?: boolean | undefined
  /** The host's own tools in the header. */
  headerTools?: ReactNode
  /** Below the composer, of the host's own. */
  afterComposer?: ReactNode
}

type RootProps = Omit<ComponentPropsWithoutRef<'div'>, 'children' | 'title' | keyof SkinProps>
export type ChatKitViewProps = SkinProps & ViewProps & RootProps & { store: ChatStore }

/** The whole interface over a chat that exists: what `<ChatKit>` and the class API render. */
export function ChatKitView({ store, visible = true, ...props }: ChatKitViewProps) {
  const { mode, theme, title, onClose, enableHistory, headerTools, afterComposer } = props
  if (!visible) return null
  return (
    <StoreProvider {...props} store={store}>
      <KitRoot
        {...elementProps(props)}
        {...{ mode, theme, title, onClose, enableHistory, headerTools, afterComposer }}
      />
    </StoreProvider>
  )
}

/** The root element and what it holds, inside a provider. */
export const KitRoot = forwardRef<HTMLDivElement, ViewProps & RootProps>(function KitRoot(props, ref) {
  const {
    mode = 'copilot',
    theme = 'auto',
    title,
    visible: _,
    onClose,
    enableHistory,
    headerTools,
    afterComposer,
    className,
    ...root
  } = props
  const { store, options } = useKit()
  const { texts, locale, components, classNames } = options
  const [isPinned, setPinned] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  const conversation = useChatState((state) => state.conversationID)
  const name = title ?? (mode === 'copilot' ? texts.copilot : texts.assistant)
  const hasHistory = enableHistory ?? store.adapter.history !== undefined
  useEffect(
    () =>
      store.subscribeBridge((action, payload, { toolCallID }) =>
        dispatchBridge(frame.current, { action, payload, toolCallID }),
      ),
    [store],
  )
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'F6' && frame.current) moveBetweenAreas(frame.current, event)
  }
  const OwnHeader = components.Header
  const side =
    mode === 'assistant' && hasHistory ? { onHistory: () => setPinned(!isPinned), isHistoryOpen: isPinned } : {}
  return (
    <div
      ref={ref}
      {...part('root')}
      className={joinClasses('ck-root', `ck-${mode}`, classNames.root, className)}
      data-theme={theme}
      lang={locale}
      role={mode === 'copilot' ? 'complementary' : 'region'}
      aria-label={name}
      onKeyDown={onKeyDown}
      {...root}
    >
      <div ref={frame} className="ck-frame-root">
        <DrawerProvider conversation={conversation} theme={theme}>
          {OwnHeader ? (
            <OwnHeader />
          ) : (
            <Header title={name} hasHistory={hasHistory} onClose={onClose} tools={headerTools} {...side} />
          )}
          <div className="ck-main">
            {isPinned ? <LazyHistory className="ck-history-side" /> : null}
            <Thread afterComposer={afterComposer} />
          </div>
        </DrawerProvider>
      </div>
      <LiveRegion />
    </div>
  )
})

/** F6 goes from the list to the composer and back. */
function moveBetweenAreas(root: HTMLElement, event: KeyboardEvent): void {
  const list = root.querySelector<HTMLElement>('.ck-list')
  const box = findTextBox(root)
  event.preventDefault()
  const isInComposer = box?.closest('form')?.contains(activeIn(root)) ?? false
  ;(isInComposer ? (list ?? box) : box)?.focus()
}
