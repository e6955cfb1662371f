import { useState } from 'react'
import { useStore, useTexts } from '../kit/kit-context.ts'
import { useComposition } from '../composer/use-composition.ts'

export type EditFormProps = { messageID: string; text: string; onDone: () => void }

/** A user message as a text box; sending it starts another course of the conversation. */
export function EditForm({ messageID, text, onDone }: EditFormProps) {
  const texts = useTexts()
  const store = useStore()
  const [draft, setDraft] = useState(text)
  const composition = useComposition()
  const save = () => {
    onDone()
    void store.edit(messageID, draft).catch(() => {}) // The list shows it.
  }
  return (
    <form
      className="ck-edit"
      onSubmit={(event) => {
        event.preventDefault()
        if (draft.trim()) save()
      }}
    >
      <textarea
        className="ck-input"
        aria-label={texts.edit}
        value={draft}
        rows={Math.min(8, draft.split('\n').length + 1)}
        // The reader pressed "edit": the box is what they asked for.
        ref={(element) => element?.focus()}
        onChange={(event) => setDraft(event.target.value)}
        {...composition.handlers}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || composition.isComposing(event)) return
          // What is around the kit may close itself by the same key.
          event.stopPropagation()
          onDone()
        }}
      />
      <div className="ck-card-actions">
        <button type="submit" className="ck-button ck-primary" disabled={!draft.trim()}>
          {texts.save}
        </button>
        <button type="button" className="ck-button" onClick={onDone}>
          {texts.cancel}
        </button>
      </div>
    </form>
  )
}
