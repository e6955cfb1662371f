import { forwardRef, type ComponentPropsWithoutRef } from 'react'
import { effectiveContext } from '../../store/chat-state.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { joinClasses } from '../controls/join-classes.ts'
import { useKit } from '../kit/kit-context.ts'
import { useChatState } from '../kit/use-chat-kit.ts'

/** The context that would go with a message sent now. A default one cannot be removed. */
export const ContextChip = forwardRef<HTMLDivElement, Omit<ComponentPropsWithoutRef<'div'>, 'children'>>(
  function ContextChip({ className, ...props }, ref) {
    const { store, options } = useKit()
    const context = useChatState(effectiveContext)
    const isOwn = useChatState(({ applicationContext }) => applicationContext !== undefined)
    if (!context) return null
    return (
      <div ref={ref} className={joinClasses('ck-chip ck-context', className)} {...props}>
        <span className="ck-hidden">{options.texts.context}: </span>
        <span className="ck-chip-text">{context.title}</span>
        {isOwn ? (
          <IconButton icon="close" label={options.texts.removeContext} onClick={store.removeApplicationContext} />
        ) : null}
      </div>
    )
  },
)
