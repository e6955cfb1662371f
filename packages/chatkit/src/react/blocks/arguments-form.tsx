import { useId } from 'react'
import { useTexts } from '../kit/kit-context.ts'

type ArgumentsFormProps = { draft: string; setDraft: (draft: string) => void; isInvalid: boolean }

/** What an action would be done with, to be changed before consent. */
export function ArgumentsForm({ draft, setDraft, isInvalid }: ArgumentsFormProps) {
  const texts = useTexts()
  const id = useId()
  return (
    <div className="ck-field">
      <label htmlFor={id}>{texts.arguments}</label>
      <textarea
        id={id}
        className="ck-input ck-arguments"
        dir="ltr"
        spellCheck={false}
        rows={Math.min(12, draft.split('\n').length + 1)}
        value={draft}
        aria-invalid={isInvalid}
        aria-describedby={isInvalid ? `${id}-error` : undefined}
        onChange={(event) => setDraft(event.target.value)}
      />
      {isInvalid ? (
        <p id={`${id}-error`} className="ck-field-error">
          {texts.invalidJson}
        </p>
      ) : null}
    </div>
  )
}
