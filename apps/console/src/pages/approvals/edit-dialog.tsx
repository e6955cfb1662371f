import type { InboxConfirmation } from '@parley/protocol/rest'
import { useState } from 'react'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { DiffView } from './diff-view.tsx'
import { Section } from './detail-section.tsx'
import { textOf } from './shown-text.tsx'
import { approvalWords } from './words.ts'

type EditProps = {
  item: InboxConfirmation
  isBusy: boolean
  /** What the server says of it. */
  problem: string
  onClose: () => void
  onApprove: (edited: Record<string, unknown>) => void
}

type Parsed = { value: Record<string, unknown> } | { wrong: string }

/** The arguments as a form, or as JSON; with what is not as the agent wrote it. It approves what stands there. */
export function EditDialog({ item, isBusy, problem, onClose, onApprove }: EditProps) {
  const words = useWords(approvalWords)
  const original = item.arguments
  const [isJson, setJson] = useState(false)
  const [fields, setFields] = useState(() =>
    Object.fromEntries(Object.entries(original).map(([name, value]) => [name, textOf(value)])),
  )
  const [json, setJsonText] = useState(() => JSON.stringify(original, null, 2))
  const parsed = isJson ? objectIn(json) : fieldsIn(fields, original)
  const edited = 'value' in parsed ? parsed.value : undefined
  const isChanged = edited !== undefined && JSON.stringify(edited) !== JSON.stringify(original)
  const turn = () => {
    if (isJson && edited)
      setFields(Object.fromEntries(Object.entries(edited).map(([name, value]) => [name, textOf(value)])))
    if (!isJson && edited) setJsonText(JSON.stringify(edited, null, 2))
    setJson(!isJson)
  }
  const wrong = 'wrong' in parsed ? parsed.wrong : undefined
  return (
    <Dialog
      title={words.editTitleForm}
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" isBusy={isBusy} disabled={!isChanged} onClick={() => edited && onApprove(edited)}>
            {isBusy ? words.sending : words.approveEdited}
          </Button>
          <Button onClick={onClose}>{words.cancel}</Button>
          <span className="grow" />
          <Button kind="quiet" disabled={edited === undefined} onClick={turn}>
            {isJson ? words.editAsForm : words.editAsJson}
          </Button>
        </>
      }
    >
      <div className="flex max-h-[60dvh] flex-col gap-4 overflow-y-auto -mx-1 p-1 text-text">
        {problem ? (
          <p role="alert" className="text-13 text-danger">
            {problem}
          </p>
        ) : null}
        {isJson ? (
          <Field label={words.allArguments} error={wrong === undefined ? undefined : words.badJson}>
            {(control) => (
              <TextArea
                {...control}
                rows={12}
                className="font-mono text-13"
                value={json}
                onChange={(event) => setJsonText(event.target.value)}
              />
            )}
          </Field>
        ) : (
          Object.entries(fields).map(([name, text]) => (
            <Field key={name} label={name} error={wrong === name ? words.badJson : undefined}>
              {(control) => (
                <TextArea
                  {...control}
                  rows={Math.min(10, text.split('\n').length + 1)}
                  className="font-mono text-13"
                  value={text}
                  onChange={(event) => setFields({ ...fields, [name]: event.target.value })}
                />
              )}
            </Field>
          ))
        )}
        <Section title={words.changed}>
          {isChanged ? (
            Object.keys({ ...original, ...edited })
              .filter((name) => JSON.stringify(original[name]) !== JSON.stringify(edited[name]))
              .map((name) => (
                <DiffView key={name} name={name} before={shown(original[name])} after={shown(edited[name])} />
              ))
          ) : (
            <p className="text-13">{words.unchanged}</p>
          )}
        </Section>
      </div>
    </Dialog>
  )
}

const shown = (value: unknown) => (value === undefined ? '' : `${textOf(value)}\n`)

/** What was text stays text; everything else is JSON, as it was. */
function fieldsIn(fields: Record<string, string>, original: Record<string, unknown>): Parsed {
  const value: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(fields)) {
    if (typeof original[name] === 'string') value[name] = text
    else
      try {
        value[name] = JSON.parse(text)
      } catch {
        return { wrong: name }
      }
  }
  return { value }
}

function objectIn(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { value: value as Record<string, unknown> } : { wrong: '' }
  } catch {
    return { wrong: '' }
  }
}
