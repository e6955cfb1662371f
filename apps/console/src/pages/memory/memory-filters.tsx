import { ListFilter, Search, X } from '../../ui/icons.tsx'
import { useState } from 'react'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { KINDS, STATES, useMemoryFilter } from './use-memory-filter.ts'
import { memoryWords } from './words.ts'

/** Words to find, and what the choices narrow them to; on phones the choices are one button. */
export function MemoryFilters({ topics }: { topics: readonly string[] }) {
  const words = useWords(memoryWords)
  const format = useFormat()
  const { filter, change, count } = useMemoryFilter()
  const [isOpen, setOpen] = useState(false)
  const choices = useChoices(topics)
  return (
    <div className="flex flex-none items-center gap-2 border-b border-line px-5 py-2 max-md:px-4">
      <div className="relative max-w-75 grow max-md:max-w-none">
        <Search
          size={16}

          className="pointer-events-none absolute top-2 left-3 text-muted max-md:top-3.5"
          aria-hidden="true"
        />
        <input
          type="search"
          data-filter=""
          value={filter.q}
          maxLength={255}
          aria-label={words.search}
          placeholder={words.search}
          onChange={(event) => change({ q: event.target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
            event.stopPropagation()
            change({ q: '' })
          }}
          className="min-h-8 w-full appearance-none rounded-control bg-hover pr-9 pl-9 text-13 placeholder:text-muted max-md:min-h-11"
        />
        {filter.q ? (
          <button
            type="button"
            aria-label={words.clear}
            title={words.clear}
            onClick={() => change({ q: '' })}
            className="absolute top-1 right-1 flex size-6 items-center justify-center rounded-inner bg-hover text-muted hover:bg-selected max-md:top-2.5"
          >
            <X size={16} />
          </button>
        ) : null}
      </div>
      <div className="flex gap-2 max-md:hidden">
        {choices.map(({ name, label, options }) => (
          <select
            key={name}
            aria-label={label}
            value={filter[name]}
            onChange={(event) => change({ [name]: event.target.value })}
            className="min-h-8 max-w-45 rounded-control border border-line bg-surface px-2 text-13 text-muted hover:bg-hover"
          >
            <Options options={options} />
          </select>
        ))}
      </div>
      <IconButton
        className="relative md:hidden"
        label={count > 0 ? words.filtersOn(format.number(count)) : words.filters}
        onClick={() => setOpen(true)}
      >
        <ListFilter size={18} />
        {count > 0 ? (
          <span
            aria-hidden="true"
            className="absolute top-1 right-1 min-w-4 rounded-full bg-accent px-1 text-11 font-semibold text-on-accent"
          >
            {format.number(count)}
          </span>
        ) : null}
      </IconButton>
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
            {choices.map(({ name, label, options }) => (
              <Field key={name} label={label}>
                {(control) => (
                  <Select
                    {...control}
                    value={filter[name]}
                    onChange={(event) => change({ [name]: event.target.value })}
                  >
                    <Options options={options} />
                  </Select>
                )}
              </Field>
            ))}
          </div>
        </Dialog>
      ) : null}
    </div>
  )
}

type Option = readonly [value: string, text: string]

function Options({ options }: { options: readonly Option[] }) {
  return options.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ))
}

function useChoices(topics: readonly string[]) {
  const words = useWords(memoryWords)
  const { filter } = useMemoryFilter()
  const known = [...new Set([...topics, ...(filter.topic ? [filter.topic] : [])])].toSorted()
  const choice = (name: 'kind' | 'topic' | 'status', label: string, options: readonly Option[]) => ({
    ...{ name, label, options },
  })
  return [
    choice('kind', words.kind, [['', words.anyKind], ...KINDS.map((kind) => [kind, words.kinds[kind]] as const)]),
    choice('topic', words.topic, [['', words.anyTopic], ...known.map((topic) => [topic, topic] as const)]),
    choice('status', words.state, [
      ['', words.anyState],
      ...STATES.map((state) => [state, words.states[state]] as const),
    ]),
  ]
}
