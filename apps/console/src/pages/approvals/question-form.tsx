import type { InboxQuestion } from '@parley/protocol/rest'
import { validateAnswer } from '@parley/protocol'
import { type FormEvent, type ReactNode, useState } from 'react'
import { answerQuestion } from '../../data/inbox.ts'
import { useIsConnected } from '../../data/live/connected.ts'
import { showToast } from '../../shell/toasts.tsx'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { Body } from './detail-section.tsx'
import { Quote } from './quote.tsx'
import { ShownText } from './shown-text.tsx'
import { approvalWords } from './words.ts'

type FormProps = { item: InboxQuestion; heading: ReactNode; onAnswered: () => void }

/** What the agent wants to know, as a form. */
export function QuestionForm({ item, heading, onAnswered }: FormProps) {
  const words = useWords(approvalWords)
  const isConnected = useIsConnected()
  const [selections, setSelections] = useState<Record<string, number[]>>({})
  const [custom, setCustom] = useState<Record<string, string>>({})
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const isWhole = validateAnswer(item.questions, { selections, custom }).length === 0
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!isWhole) return setProblem(words.answerAll)
    setBusy(true)
    setProblem('')
    try {
      await answerQuestion(item.session_id, { tool_call_id: item.id, selections, custom })
      showToast(words.answer)
      onAnswered()
    } catch (error) {
      setProblem((error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  const choose = (question: number, option: number, { isMany, isChosen }: { isMany: boolean; isChosen: boolean }) =>
    setSelections((before) => {
      const known = isMany ? (before[question] ?? []).filter((one) => one !== option) : []
      return { ...before, [question]: isChosen ? [...known, option].sort((a, b) => a - b) : known }
    })
  return (
    <form onSubmit={(event) => void submit(event)} className="flex min-h-0 grow flex-col">
      <Body>
        {heading}
        {item.questions.map(({ question, options, multiSelect }, at) => (
          <fieldset key={at} className="flex flex-col gap-2">
            <legend className="mb-2 text-15 font-medium [overflow-wrap:anywhere]">
              <ShownText text={question} />
            </legend>
            {options.map(({ label, description }, option) => (
              <label
                key={label}
                className="flex min-h-8 gap-3 rounded-control border border-line px-3 py-2 text-14 has-checked:border-accent has-checked:bg-accent-soft max-md:min-h-11"
              >
                <input
                  type={multiSelect ? 'checkbox' : 'radio'}
                  name={`${item.id}-${at}`}
                  className="mt-1 flex-none self-start accent-accent"
                  checked={selections[at]?.includes(option) ?? false}
                  onChange={(event) => choose(at, option, { isMany: multiSelect, isChosen: event.target.checked })}
                />
                <span className="flex flex-col">
                  <ShownText text={label} />
                  {description ? <span className="text-13 text-muted">{description}</span> : null}
                </span>
              </label>
            ))}
            <Field label={words.otherAnswer}>
              {(control) => (
                <TextInput
                  {...control}
                  value={custom[at] ?? ''}
                  onChange={(event) => setCustom({ ...custom, [at]: event.target.value })}
                />
              )}
            </Field>
          </fieldset>
        ))}
        {item.asked_after ? <Quote text={item.asked_after} /> : null}
      </Body>
      <footer className="flex-none border-t border-line px-6 max-md:px-4">
        <div className="mx-auto flex max-w-form items-center gap-2 py-3">
          <Button type="submit" kind="primary" isBusy={isBusy} disabled={!isConnected} className="max-md:grow">
            {isBusy ? words.sending : words.answer}
          </Button>
          {problem || !isConnected ? (
            <p role="alert" className="text-13 text-danger">
              {problem || words.notConnected}
            </p>
          ) : null}
        </div>
      </footer>
    </form>
  )
}
