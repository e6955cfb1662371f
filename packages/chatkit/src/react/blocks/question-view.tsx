import { useId, useState, type FormEvent } from 'react'
import type { QuestionBlock, QuestionItem } from '../../model/agent-blocks.ts'
import { Icon } from '../controls/icon.tsx'
import { useKit, useTexts, type BlockProps } from '../kit/kit-context.ts'

type Draft = { selections: Record<string, number[]>; custom: Record<string, string> }

/** A form the run waits for; read-only once it is answered or withdrawn. */
export function QuestionView({ block }: BlockProps<QuestionBlock>) {
  const texts = useTexts()
  const form = block.content
  // Here, not in the form: an answer that is refused brings the form back with what was written in it.
  const [draft, setDraft] = useState<Draft>({ selections: {}, custom: {} })
  return (
    <div
      role="group"
      className="ck-card ck-question"
      aria-label={form.askedBy ? texts.asks(form.askedBy) : texts.question}
    >
      <p className="ck-card-head">
        <Icon name="question" />
        {form.askedBy ? texts.asks(form.askedBy) : texts.question}
        {form.state === 'waiting' ? null : (
          <span className="ck-state">{form.state === 'answered' ? texts.answered : texts.withdrawn}</span>
        )}
      </p>
      {form.state === 'waiting' ? <QuestionForm {...{ form, draft, setDraft }} /> : <Answers form={form} />}
    </div>
  )
}

type QuestionFormProps = {
  form: QuestionBlock['content']
  draft: Draft
  setDraft: (change: (old: Draft) => Draft) => void
}

function QuestionForm({ form, draft, setDraft }: QuestionFormProps) {
  const { store, options, isReadOnly } = useKit()
  const { texts } = options
  const isAnswered = form.questions.every((_, i) => (draft.selections[i]?.length ?? 0) > 0 || draft.custom[i]?.trim())
  const answer = (event: FormEvent<HTMLFormElement>, action?: string) => {
    event.preventDefault()
    const chosen = action ?? (event.nativeEvent as SubmitEvent).submitter?.getAttribute('value') ?? undefined
    // A failure is shown in the list.
    void store
      .answerQuestion({ questionID: form.questionID, ...draft, ...(chosen && { action: chosen }) })
      .catch(() => {})
  }
  return (
    <form onSubmit={answer}>
      {form.questions.map((item, i) => (
        <Item
          key={item.question}
          item={item}
          selected={draft.selections[i] ?? []}
          custom={draft.custom[i] ?? ''}
          isReadOnly={isReadOnly || (form.isSending ?? false)}
          onSelect={(indexes) => setDraft((old) => ({ ...old, selections: { ...old.selections, [i]: indexes } }))}
          onCustom={(text) => setDraft((old) => ({ ...old, custom: { ...old.custom, [i]: text } }))}
        />
      ))}
      {isReadOnly ? null : (
        <div className="ck-card-actions">
          {form.actions?.length ? (
            form.actions.map(({ id, title }) => (
              <button key={id} type="submit" value={id} className="ck-button">
                {title}
              </button>
            ))
          ) : (
            <button type="submit" className="ck-button ck-primary" disabled={!isAnswered || form.isSending}>
              {texts.submit}
            </button>
          )}
        </div>
      )}
    </form>
  )
}

type ItemProps = {
  item: QuestionItem
  selected: readonly number[]
  custom: string
  isReadOnly: boolean
  onSelect: (indexes: number[]) => void
  onCustom: (text: string) => void
}

function Item({ item, selected, custom, isReadOnly, onSelect, onCustom }: ItemProps) {
  const texts = useTexts()
  const id = useId()
  const type = item.multiSelect ? 'checkbox' : 'radio'
  const toggle = (index: number, isOn: boolean) => {
    if (!item.multiSelect) return onSelect([index])
    onSelect(isOn ? [...selected, index].sort((a, b) => a - b) : selected.filter((other) => other !== index))
  }
  return (
    <fieldset className="ck-fieldset" disabled={isReadOnly}>
      <legend>
        {item.header ? <span className="ck-question-header">{item.header}</span> : null}
        {item.question}
      </legend>
      {item.options.map((option, index) => (
        <label key={option.label} className="ck-option">
          <input
            type={type}
            name={id}
            checked={selected.includes(index)}
            onChange={(event) => toggle(index, event.target.checked)}
          />
          <span>
            {option.label}
            {option.description ? <span className="ck-muted ck-option-text">{option.description}</span> : null}
          </span>
        </label>
      ))}
      <label className="ck-field">
        <span>{texts.ownAnswer}</span>
        <input className="ck-input" type="text" value={custom} onChange={(event) => onCustom(event.target.value)} />
      </label>
    </fieldset>
  )
}

function Answers({ form }: { form: QuestionBlock['content'] }) {
  const given =
    form.answers ?? form.questions.map(({ question, header }) => ({ question, header, selected: [], custom: '' }))
  return (
    <dl className="ck-answers">
      {given.map(({ question, selected, custom }) => (
        <div key={question}>
          <dt>{question}</dt>
          <dd>{[...selected, ...(custom ? [custom] : [])].join(', ') || '–'}</dd>
        </div>
      ))}
    </dl>
  )
}
