import { ParleyApiError } from '@parley/client'
import type { Memory } from '@parley/protocol/rest'
import { useMutation, useQuery } from '@tanstack/react-query'
import { X } from '../../ui/icons.tsx'
import { type FormEvent, useRef, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { changeMemory, createMemory, memoryQuery } from '../../data/memories.ts'
import { routes } from '../../routes.ts'
import { isCovered } from '../../shell/use-row-keys.ts'
import { useShortcuts } from '../../shell/use-shortcuts.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Select, TextArea, TextInput } from '../../ui/field.tsx'
import { fieldErrors } from '../../ui/field-errors.ts'
import { lastReadWords } from '../../ui/last-read.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { MemoryFacts } from './memory-facts.tsx'
import { useMemoryDeeds } from './use-memory-deeds.ts'
import { KINDS } from './use-memory-filter.ts'
import { memoryWords, stateOf } from './words.ts'

const MAX_LENGTH = 500

/** Beside the table: one memory to be read and changed, or a new one. */
export function MemoryPanel({ id, isCut }: { id: string; isCut: boolean }) {
  const isNew = id === 'new'
  const { data, error, refetch } = useQuery({ ...memoryQuery(Number(id)), enabled: !isNew })
  if (isNew || data) return <MemoryForm key={id} memory={data} isCut={isCut} />
  return <Panel>{error ? <Failure error={error} retry={() => void refetch()} /> : <Skeleton rows={5} />}</Panel>
}

type Draft = Pick<Memory, 'content' | 'type'> & { topic: string }

function MemoryForm({ memory, isCut }: { memory: Memory | undefined; isCut: boolean }) {
  const words = useWords(memoryWords)
  const cut = useWords(lastReadWords)
  const format = useFormat()
  const [, go] = useLocation()
  const close = useClose()
  const deeds = useMemoryDeeds()
  const form = useRef<HTMLFormElement>(null)
  const kept: Draft = { content: memory?.content ?? '', type: memory?.type ?? 'feedback', topic: memory?.topic ?? '' }
  const [draft, setDraft] = useState(kept)
  const [isAsking, setAsking] = useState(false)
  const isChanged = draft.content !== kept.content || draft.type !== kept.type || draft.topic !== kept.topic
  const save = useMutation({
    mutationFn: async () => {
      if (memory) return changeMemory(memory.id, draft)
      const { id } = await createMemory(draft)
      go(routes.oneMemory(id), { replace: true })
    },
    onSuccess: () => setDraft((now) => ({ ...now, content: now.content.trim() })),
  })
  const errors = fieldErrors(save.error)
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const onLeave = () => (isChanged ? setAsking(true) : close())
  useShortcuts({ '$mod+Enter': () => form.current?.requestSubmit(), Escape: () => isCovered() || onLeave() })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (isChanged && !save.isPending && !isCut) save.mutate()
  }
  const why = isCut ? cut.why : undefined
  return (
    <Panel title={memory ? words.one : words.newOne} onClose={onLeave}>
      <form ref={form} onSubmit={onSubmit} className="flex min-h-0 grow flex-col">
        <div className="flex grow flex-col gap-4 overflow-y-auto p-4">
          <div>
            <Field label={words.content} hint={words.contentHint} error={errors['content']}>
              {(control) => (
                <TextArea
                  {...control}
                  required
                  autoFocus={!memory}
                  rows={5}
                  maxLength={MAX_LENGTH}
                  value={draft.content}
                  onChange={(event) => change({ content: event.target.value })}
                />
              )}
            </Field>
            <p className="mt-1 text-right text-12 text-muted">{words.counter(format.number(draft.content.length))}</p>
            <Known error={save.error} />
          </div>
          <div className="grid grid-cols-2 gap-3">
            <Field label={words.kind} error={errors['type']}>
              {(control) => (
                <Select
                  {...control}
                  value={draft.type}
                  onChange={(event) => change({ type: event.target.value as Memory['type'] })}
                >
                  {KINDS.map((kind) => (
                    <option key={kind} value={kind}>
                      {words.kinds[kind]}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
            <Field label={words.topic} error={errors['topic']}>
              {(control) => (
                <TextInput
                  {...control}
                  maxLength={255}
                  value={draft.topic}
                  onChange={(event) => change({ topic: event.target.value })}
                />
              )}
            </Field>
          </div>
          {memory ? <MemoryFacts memory={memory} /> : null}
        </div>
        <footer className="flex flex-none flex-wrap items-center gap-2 border-t border-line p-3">
          <Button
            type="submit"
            kind="primary"
            isBusy={save.isPending}
            disabled={isCut || !isChanged}
            title={why ?? 'Ctrl Enter'}
            className="max-md:grow"
          >
            {memory ? words.save : words.create}
          </Button>
          {memory ? (
            <>
              {stateOf(memory) === 'superseded' ? null : (
                <Button
                  disabled={isCut}
                  title={why ?? 'd'}
                  className="max-md:grow"
                  onClick={() => deeds.switch([memory], !memory.disabled)}
                >
                  {memory.disabled ? words.enable : words.disable}
                </Button>
              )}
              <Button
                kind="danger"
                disabled={isCut}
                title={why ?? 'Del'}
                className="ml-auto max-md:grow"
                onClick={() => {
                  close()
                  deeds.remove([memory])
                }}
              >
                {words.delete}
              </Button>
            </>
          ) : null}
          {save.error ? (
            <p role="alert" className="w-full text-13 text-danger">
              {Object.keys(errors).length > 0 || isKnown(save.error) ? words.notSaved : save.error.message}
            </p>
          ) : null}
        </footer>
      </form>
      {isAsking ? (
        <Dialog
          title={words.discard}
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button kind="danger" onClick={close}>
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
    </Panel>
  )
}

const isKnown = (error: unknown): error is ParleyApiError =>
  error instanceof ParleyApiError && error.code === 'already_exists'

/** Said twice it would be one memory: the other one is a press away. */
function Known({ error }: { error: unknown }) {
  const words = useWords(memoryWords)
  if (!isKnown(error)) return null
  const { id } = error.body as { id?: number }
  return (
    <p className="text-12 text-danger">
      {words.known}{' '}
      {id === undefined ? null : (
        <Link href={routes.oneMemory(id)} className="font-medium text-accent">
          {words.showIt}
        </Link>
      )}
    </p>
  )
}

type PanelProps = { title?: string; onClose?: () => void; children: React.ReactNode }

/** Part of the sheet where there is room, over it where there is not. */
function Panel({ title, onClose, children }: PanelProps) {
  const words = useWords(memoryWords)
  const close = useClose()
  const name = title ?? words.one
  return (
    <section
      data-area="panel"
      aria-label={name}
      className="z-10 flex w-90 flex-none flex-col border-l border-line bg-surface max-lg:absolute max-lg:inset-y-0 max-lg:right-0 max-lg:shadow-menu max-md:w-full max-md:border-l-0"
    >
      <header className="flex min-h-13 flex-none items-center justify-between border-b border-line pr-3 pl-4">
        <h2 className="text-15 font-semibold">{name}</h2>
        <IconButton label={words.close} shortcut="Esc" onClick={onClose ?? close}>
          <X size={18} />
        </IconButton>
      </header>
      {children}
    </section>
  )
}

/** Back to the table as it was narrowed. */
function useClose(): () => void {
  const [, go] = useLocation()
  const search = useSearch()
  return () => go(`${routes.memory}${search && `?${search}`}`)
}
