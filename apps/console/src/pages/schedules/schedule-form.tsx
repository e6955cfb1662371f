import type { ScheduledTask } from '@parley/protocol/rest'
import { ParleyApiError } from '@parley/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { modelsQuery } from '../../data/account.ts'
import { changeSchedule, createSchedule } from '../../data/schedules.ts'
import { routes } from '../../routes.ts'
import { SheetBar } from '../../shell/frame.tsx'
import { isCovered } from '../../shell/use-row-keys.ts'
import { useShortcuts } from '../../shell/use-shortcuts.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Select, Switch, TextArea, TextInput } from '../../ui/field.tsx'
import { fieldErrors } from '../../ui/field-errors.ts'
import { lastReadWords } from '../../ui/last-read.tsx'
import { EXAMPLES, exampleWords } from './example-words.ts'
import { formWords } from './form-words.ts'
import { type Draft, draftOf, emptyDraft, ownZone, taskIn } from './schedule-draft.ts'
import { WhenField } from './when-field.tsx'

/** A schedule to be made, or one to be changed. */
export function ScheduleForm({ task, isCut }: { task?: ScheduledTask; isCut: boolean }) {
  const words = useWords(formWords)
  const cut = useWords(lastReadWords)
  const [, go] = useLocation()
  const [first] = useState(useFirstDraft(task))
  const [draft, setDraft] = useState(first)
  const [isAsking, setAsking] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const { data: models } = useQuery(modelsQuery)
  const save = useMutation({
    mutationFn: () => (task ? changeSchedule(task.id, taskIn(draft)) : createSchedule(taskIn(draft))),
    onSuccess: ({ id }) => go(routes.schedule(id), { replace: true }),
  })
  // Once it is drawn which field is refused.
  useEffect(() => {
    if (save.error) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [save.error])
  const errors = errorsOf(save.error)
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const leave = () => go(task ? routes.schedule(task.id) : routes.schedules, { replace: true })
  const onLeave = () => (JSON.stringify(draft) === JSON.stringify(first) ? leave() : setAsking(true))
  useShortcuts({
    '$mod+Enter': () => form.current?.requestSubmit(),
    Escape: () => isCovered() || onLeave(),
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending && !isCut) save.mutate()
  }
  return (
    <>
      <SheetBar
        back={task ? routes.schedule(task.id) : routes.schedules}
        title={<h2 className="truncate">{task ? words.edit(task.title) : words.new}</h2>}
      />
      <form ref={form} onSubmit={onSubmit} className="flex min-h-0 grow flex-col">
        <div className="grow overflow-y-auto">
          <div className="mx-auto flex max-w-form flex-col gap-6 p-6 max-md:p-4">
            <Field label={words.title} hint={words.titleHint} error={errors['title']}>
              {(control) => (
                <TextInput
                  {...control}
                  required
                  autoFocus
                  maxLength={200}
                  value={draft.title}
                  onChange={(event) => change({ title: event.target.value })}
                />
              )}
            </Field>
            <Field label={words.prompt} hint={words.promptHint} error={errors['prompt']}>
              {(control) => (
                <TextArea
                  {...control}
                  required
                  maxLength={32_000}
                  rows={5}
                  value={draft.prompt}
                  onChange={(event) => change({ prompt: event.target.value })}
                />
              )}
            </Field>
            <WhenField draft={draft} change={change} errors={errors} />
            <div className="grid grid-cols-2 gap-3 max-md:grid-cols-1 max-md:gap-6">
              <Field label={words.model} error={errors['model']}>
                {(control) => (
                  <Select {...control} value={draft.model} onChange={(event) => change({ model: event.target.value })}>
                    <option value="">{words.defaultModel}</option>
                    {modelOptions(models?.models ?? [], draft.model).map(({ id, name }) => (
                      <option key={id} value={id}>
                        {name}
                      </option>
                    ))}
                  </Select>
                )}
              </Field>
              <Field label={words.ends} hint={words.endsHint(ownZone())} error={errors['expires_at']}>
                {(control) => (
                  <TextInput
                    {...control}
                    type="datetime-local"
                    value={draft.ends}
                    onChange={(event) => change({ ends: event.target.value })}
                  />
                )}
              </Field>
            </div>
            <div className="flex flex-col gap-1">
              <Switch
                label={words.skip}
                checked={draft.skip_confirmations}
                aria-describedby="skip-consequence"
                onChange={(event) => change({ skip_confirmations: event.target.checked })}
              />
              <p
                id="skip-consequence"
                className={`max-w-[75ch] text-13 ${draft.skip_confirmations ? 'text-danger' : 'text-muted'}`}
              >
                {draft.skip_confirmations ? words.skipOn : words.skipOff}
              </p>
            </div>
          </div>
        </div>
        <footer className="flex-none border-t border-line">
          <div className="mx-auto flex max-w-form flex-wrap items-center gap-2 px-6 py-3 max-md:px-4 max-md:py-2">
            <Button
              type="submit"
              kind="primary"
              isBusy={save.isPending}
              disabled={isCut}
              title={isCut ? cut.why : undefined}
              shortcut="Ctrl ↵"
              className="max-md:grow"
            >
              {task ? words.save : words.create}
            </Button>
            <Button kind="quiet" className="max-md:grow" onClick={onLeave}>
              {words.cancel}
            </Button>
            {save.error ? (
              <p role="alert" className="text-13 text-danger max-md:w-full">
                {Object.keys(errors).length > 0 ? words.notSaved : save.error.message}
              </p>
            ) : null}
          </div>
        </footer>
      </form>
      {isAsking ? (
        <Dialog
          title={words.discard}
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button kind="danger" onClick={leave}>
                {words.leave}
              </Button>
              <Button data-focus onClick={() => setAsking(false)}>
                {words.stay}
              </Button>
            </>
          }
        >
          {words.discardText}
        </Dialog>
      ) : null}
    </>
  )
}

function useFirstDraft(task: ScheduledTask | undefined): () => Draft {
  const { examples } = useWords(exampleWords)
  const [params] = useSearchParams()
  const example = EXAMPLES.find(({ name }) => name === params.get('example'))
  if (task) return () => draftOf(task)
  return () => emptyDraft(example && { ...examples[example.name], cron: example.cron })
}

function errorsOf(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof ParleyApiError && error.code === 'model_not_available') return { model: error.detail }
  return fieldErrors(error)
}

/** Also the one that the schedule has, when the server no longer offers it. */
function modelOptions(models: readonly { id: string; name: string }[], chosen: string) {
  return !chosen || models.some(({ id }) => id === chosen) ? models : [...models, { id: chosen, name: chosen }]
}
