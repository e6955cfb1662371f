import type { Task, TurnProjection } from '@parley/protocol'
import { forwardRef, useLayoutEffect, useMemo, useState, type ComponentPropsWithoutRef } from 'react'
import { createTurnMapper } from '../../adapters/parley/turn-messages.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import { createShownChat } from '../../store/shown-chat.ts'
import { joinClasses } from '../controls/join-classes.ts'
import { part } from '../controls/part.ts'
import { DrawerProvider } from '../frame/drawer.tsx'
import { StoreProvider } from '../kit/chat-kit-provider.tsx'
import { elementProps } from '../kit/element-props.ts'
import { resolveLocale, type SkinProps } from '../kit/kit-options.ts'
import { MessageList } from './message-list.tsx'

type RootProps = Omit<ComponentPropsWithoutRef<'div'>, 'children' | keyof SkinProps>

export type ReadOnlyThreadProps = SkinProps &
  RootProps & {
    /** `auto` follows the system. Default `auto`. */
    theme?: 'light' | 'dark' | 'auto' | undefined
  } & (
    | { messages: readonly ChatMessage[]; turns?: never; tasks?: never }
    /** What `reduce` makes of a Parley session: `turns={projection.turns}`. */
    | { turns: readonly TurnProjection[]; tasks?: readonly Task[] | undefined; messages?: never }
  )

/**
 * A conversation to be looked at: no back end, no composer, and nothing that could be answered, sent or asked again. Details
 * open, and text can be copied.
 */
export const ReadOnlyThread = forwardRef<HTMLDivElement, ReadOnlyThreadProps>(function ReadOnlyThread(
  { messages, turns, tasks, theme = 'auto', className, ...props },
  ref,
) {
  const locale = resolveLocale(props.locale)
  const map = useMemo(() => createTurnMapper(locale), [locale])
  const shown = useMemo(() => messages ?? map(turns ?? [], tasks), [messages, map, turns, tasks])
  // One chat for all that is shown: what is the same message from one to the next is not drawn again.
  const [chat] = useState(() => createShownChat(shown))
  useLayoutEffect(() => chat.show(shown), [chat, shown])
  return (
    <StoreProvider {...props} store={chat.store} isReadOnly>
      <div
        ref={ref}
        {...part('root')}
        className={joinClasses('ck-root', 'ck-read-only', props.classNames?.root, className)}
        data-theme={theme}
        lang={locale}
        {...elementProps(props)}
      >
        <div className="ck-frame-root">
          <DrawerProvider conversation="" theme={theme}>
            <MessageList />
          </DrawerProvider>
        </div>
      </div>
    </StoreProvider>
  )
})
