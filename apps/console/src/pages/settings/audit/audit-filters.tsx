import { useInfiniteQuery } from '@tanstack/react-query'
import { ListFilter } from '../../../ui/icons.tsx'
import { useState } from 'react'
import { usersQuery } from '../../../data/users.ts'
import { useFormat } from '../../../texts/format.ts'
import { useWords } from '../../../texts/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field, Select, TextInput } from '../../../ui/field.tsx'
import { useNarrow } from '../../../ui/use-narrow.ts'
import { useAuditFilter } from './use-audit-filter.ts'
import { auditWords, KINDS } from './words.ts'

/** Who, what, to what, when. On phones they are one button. */
export function AuditFilters() {
  const words = useWords(auditWords)
  const format = useFormat()
  const isNarrow = useNarrow()
  const { count } = useAuditFilter()
  const [isOpen, setOpen] = useState(false)
  if (!isNarrow)
    return (
      <div role="group" aria-label={words.filters} className="grid grid-cols-2 gap-3 lg:grid-cols-3">
        <Fields />
      </div>
    )
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <ListFilter size={16} strokeWidth={1.75} />
        {count > 0 ? words.filtersOn(format.number(count)) : words.filters}
      </Button>
      {isOpen ? (
        <Dialog
          title={words.filters}
          onClose={() => setOpen(false)}
          actions={
            <Button kind="primary" onClick={() => setOpen(false)}>
              {words.done}
            </Button>
          }
        >
          <div className="flex flex-col gap-4 text-text">
            <Fields />
          </div>
        </Dialog>
      ) : null}
    </>
  )
}

function Fields() {
  const words = useWords(auditWords)
  const { filter, change } = useAuditFilter()
  const { data } = useInfiniteQuery(usersQuery)
  const users = data?.pages.flatMap(({ items }) => items) ?? []
  const people = users.map(({ id, display_name, username }) => [id, display_name || username] as const)
  const kinds = KINDS.map((kind) => [kind, words.kinds[kind]] as const)
  return (
    <>
      <Field label={words.who}>
        {(control) => (
          <Select {...control} value={filter.actor} onChange={({ target }) => change({ actor: target.value })}>
            <option value="">{words.anyone}</option>
            <Options options={[...people, ['system', words.system]]} value={filter.actor} />
          </Select>
        )}
      </Field>
      <Field label={words.what}>
        {(control) => (
          <Select {...control} value={filter.action} onChange={({ target }) => change({ action: target.value })}>
            <option value="">{words.anything}</option>
            <Options options={kinds} value={filter.action} name={words.actions[filter.action]} />
          </Select>
        )}
      </Field>
      <Field label={words.id}>
        {(control) => (
          <TextInput
            {...control}
            type="search"
            data-filter=""
            maxLength={300}
            value={filter.subject}
            onChange={({ target }) => change({ subject: target.value })}
          />
        )}
      </Field>
      {(['from', 'to'] as const).map((end) => (
        <Field key={end} label={words[end]}>
          {(control) => (
            <TextInput
              {...control}
              type="date"
              value={filter[end]}
              onChange={({ target }) => change({ [end]: target.value })}
            />
          )}
        </Field>
      ))}
    </>
  )
}

type OptionsProps = {
  options: readonly (readonly [value: string, text: string])[]
  value: string
  name?: string | undefined
}

/** What the address asks for is among them, also when nobody would offer it. */
function Options({ options, value, name = value }: OptionsProps) {
  const isKnown = value === '' || options.some(([known]) => known === value)
  return [...options, ...(isKnown ? [] : [[value, name] as const])].map(([known, text]) => (
    <option key={known} value={known}>
      {text}
    </option>
  ))
}
