import { forwardRef, useState, type ComponentPropsWithoutRef } from 'react'
import { Markdown } from '../../markdown/markdown.tsx'
import type { ChatMessage } from '../../model/chat-message.ts'
import { Icon } from '../controls/icon.tsx'
import { joinClasses } from '../controls/join-classes.ts'
import { useKit, useTexts } from '../kit/kit-context.ts'
import { part } from '../controls/part.ts'
import { useChatState } from '../kit/use-chat-kit.ts'

const SHOWN_QUESTIONS = 8

/** Opening text and preset questions, while there is no message. A skeleton until they are known. */
export const Onboarding = forwardRef<HTMLDivElement, Omit<ComponentPropsWithoutRef<'div'>, 'children'>>(
  function Onboarding({ className, ...props }, ref) {
    const texts = useTexts()
    const { status, info } = useChatState((state) => state.onboarding)
    return (
      <div
        ref={ref}
        {...part('onboarding')}
        className={joinClasses('ck-onboarding', useKit().options.classNames.onboarding, className)}
        {...props}
      >
        {status === 'ready' && info ? (
          <>
            <span className="ck-mark">
              <Icon name="chat" />
            </span>
            <h3 className="ck-start">{texts.start}</h3>
            <Markdown className="ck-prologue" text={info.prologue} dir="auto" />
            <Questions label={texts.suggestions} questions={info.predefinedQuestions} />
          </>
        ) : (
          <div className="ck-skeleton" role="status" aria-label={texts.loading}>
            <span />
            <span />
            <span />
          </div>
        )}
      </div>
    )
  },
)

/** Below the last answer, when it is complete. */
export function RelatedQuestions({ message }: { message: ChatMessage }) {
  const { options, isReadOnly } = useKit()
  const isIdle = useChatState(({ status }) => status === 'idle')
  const questions = message.messageContext?.relatedQuestions
  return isIdle && !isReadOnly && questions ? <Questions label={options.texts.related} questions={questions} /> : null
}

function Questions({ label, questions }: { label: string; questions: readonly string[] }) {
  const { store, options } = useKit()
  const [isWhole, setWhole] = useState(false)
  if (questions.length === 0) return null
  const ask = (question: string) => {
    if (options.presetQuestions === 'fill') store.setTextInput(question)
    else void store.send(question).catch(() => {}) // The list shows it.
  }
  const shown = isWhole ? questions : questions.slice(0, SHOWN_QUESTIONS)
  return (
    <ul className="ck-questions" aria-label={label}>
      {shown.map((question) => (
        <li key={question}>
          <button type="button" className="ck-suggestion" onClick={() => ask(question)}>
            {question}
          </button>
        </li>
      ))}
      {shown.length < questions.length ? (
        <li>
          <button type="button" className="ck-button ck-quiet" onClick={() => setWhole(true)}>
            {options.texts.more}
          </button>
        </li>
      ) : null}
    </ul>
  )
}
