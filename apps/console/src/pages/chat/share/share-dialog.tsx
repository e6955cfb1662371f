import type { SessionDetail } from '@parley/protocol'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { configQuery } from '../../../data/account.ts'
import { makeLink } from '../../../data/sharing.ts'
import { useWords } from '../../../texts/language.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field, Select, TextInput } from '../../../ui/field.tsx'
import { ExportSession } from './export-session.tsx'
import { LinkList } from './link-list.tsx'
import { shareWords } from './words.ts'

const DAY_S = 86_400
/** How long a link works, in days; 0: until somebody ends it. */
const LIFETIMES = [1, 7, 30, 0] as const

/** Showing a session to others, and taking it along. */
export function ShareDialog({ session, onClose }: { session: SessionDetail; onClose: () => void }) {
  const words = useWords(shareWords)
  const { data: config } = useQuery(configQuery)
  return (
    <Dialog title={words.title} onClose={onClose} actions={<Button onClick={onClose}>{words.close}</Button>}>
      <div className="flex flex-col gap-6 text-text">
        {config?.publicSharingEnabled === false ? (
          <p className="text-13 text-muted">{words.off}</p>
        ) : (
          <section className="flex flex-col gap-3">
            <MakeLink id={session.id} />
            <LinkList id={session.id} />
          </section>
        )}
        <ExportSession session={session} />
      </div>
    </Dialog>
  )
}

function MakeLink({ id }: { id: string }) {
  const words = useWords(shareWords)
  const [days, setDays] = useState<number>(7)
  const {
    mutate,
    data: url,
    error,
    isPending,
  } = useMutation({ mutationFn: () => makeLink(id, days === 0 ? null : days * DAY_S) })
  return (
    <>
      <p className="text-13 text-muted">{words.shows}</p>
      <p className="text-13 text-muted">{words.leftOut}</p>
      <div className="flex items-end gap-2">
        <div className="grow">
          <Field label={words.lifetime} error={error?.message}>
            {(control) => (
              <Select {...control} value={days} onChange={(event) => setDays(Number(event.target.value))}>
                {LIFETIMES.map((each) => (
                  <option key={each} value={each}>
                    {words.days(each)}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        </div>
        <Button kind="primary" isBusy={isPending} onClick={() => mutate()}>
          {words.make}
        </Button>
      </div>
      {url ? (
        <div className="flex items-end gap-2">
          <div className="grow">
            <Field label={words.link} hint={words.once}>
              {(control) => (
                <TextInput {...control} readOnly value={url} onFocus={(event) => event.currentTarget.select()} />
              )}
            </Field>
          </div>
          <span className="mb-5">
            <CopyButton text={url} />
          </span>
        </div>
      ) : null}
    </>
  )
}
