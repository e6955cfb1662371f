import { BlockType, type ChatMessage, useChatKit, useChatState } from '@parley/chatkit'
import { lazy, Suspense, useState } from 'react'
import { useWords } from '../../../texts/language.ts'
import { Pencil, Undo } from '../../../ui/icons.tsx'
import { chatWords } from '../words.ts'

const GoBackDialog = lazy(async () => ({ default: (await import('./go-back-dialog.tsx')).GoBackDialog }))

/** Below an own message, while nothing runs: the conversation can begin again from here. */
export function GoBack({ message }: { message: ChatMessage }) {
  const words = useWords(chatWords)
  const { store } = useChatKit()
  const isIdle = useChatState(({ status, isActiveElsewhere }) => status === 'idle' && !isActiveElsewhere)
  const id = useChatState(({ conversationID }) => conversationID)
  const [asked, setAsked] = useState<'back' | 'again' | null>(null)
  if (!isIdle || !id) return null
  return (
    <div className="go-back">
      <div>
        <WayButton onClick={() => setAsked('back')}>
          <Undo size={16} />
          {words.goBack}
        </WayButton>
        <WayButton onClick={() => setAsked('again')}>
          <Pencil size={16} />
          {words.askAgain}
        </WayButton>
      </div>
      {asked ? (
        <Suspense>
          <GoBackDialog
            session_id={id}
            turn_id={message.messageID}
            isAskingAgain={asked === 'again'}
            onClose={() => setAsked(null)}
            onBack={() => {
              if (asked === 'again') store.setTextInput(textOf(message))
              document.querySelector<HTMLElement>('.ck-composer-text')?.focus()
            }}
          />
        </Suspense>
      ) : null}
    </div>
  )
}

function WayButton(props: React.ComponentProps<'button'>) {
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      {...props}
      className="flex min-h-7 items-center gap-1 rounded-control px-2 text-12 text-muted hover:bg-hover hover:text-text max-md:min-h-11"
    />
  )
}

function textOf({ content }: ChatMessage): string {
  const texts = content.filter(({ type }) => type === BlockType.Text || type === BlockType.Markdown)
  return texts.map((block) => String(block.content)).join('\n\n')
}
