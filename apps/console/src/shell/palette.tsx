import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react'
import { client } from '../data/client.ts'
import type { SessionPage } from '@parley/protocol/rest'
import { routes } from '../routes.ts'
import { useWords } from '../texts/language.ts'
import { type Command, matches } from './commands.ts'
import { shellWords } from './words.ts'

type PaletteProps = { commands: readonly Command[]; first?: string; onClose: () => void; go: (href: string) => void }

/** Every command with its key, and every session by its words. */
export function Palette({ commands, first = '', onClose, go }: PaletteProps) {
  const words = useWords(shellWords)
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [text, setText] = useState(first)
  const [at, setAt] = useState(0)
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  const q = useDeferredValue(text.trim())
  const { data: found } = useQuery({
    queryKey: ['palette', q],
    queryFn: () => client.api.get<SessionPage>('/api/sessions', { query: { q, limit: 8 } }),
    enabled: q.length > 1,
  })
  const rows = useMemo(() => {
    const own = commands.filter((command) => matches(command, text))
    const sessions = (found?.items ?? []).map((session): Command => ({
      id: session.id,
      label: session.intent || words.newSession,
      group: words.found,
      run: () => go(routes.session(session.id)),
    }))
    return [...own, ...sessions]
  }, [commands, found, text, words, go])
  const chosen = Math.min(at, rows.length - 1)
  const run = (command: Command | undefined) => {
    if (!command) return
    onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, rows.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0))
    else if (event.key === 'Enter') run(rows[chosen])
    else return
    event.preventDefault()
  }
  return (
    <dialog
      ref={dialog}
      aria-label={words.palette}
      onCancel={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      className="mt-24 w-[calc(100%-32px)] max-w-[560px] rounded-sheet border border-line bg-surface p-0 shadow-dialog max-md:mt-4"
    >
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={rows[chosen] ? `${id}-${chosen}` : undefined}
        aria-label={words.palette}
        placeholder={words.palettePlaceholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
        className="min-h-13 w-full border-b border-line bg-transparent px-5 text-15 outline-none placeholder:text-faint"
      />
      <ul id={`${id}-list`} role="listbox" aria-label={words.palette} className="max-h-[50dvh] overflow-y-auto p-2">
        {rows.map((command, index) => (
          <li
            key={command.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            ref={(element) => {
              if (index === chosen) element?.scrollIntoView({ block: 'nearest' })
            }}
            onPointerMove={() => setAt(index)}
            onClick={() => run(command)}
            className="flex min-h-9 cursor-pointer items-center gap-3 rounded-control px-3 text-13 aria-selected:bg-selected"
          >
            <span className="grow truncate">{command.label}</span>
            {command.group ? <span className="text-12 text-faint">{command.group}</span> : null}
            {command.shortcut ? <span className="text-12 text-faint">{command.shortcut}</span> : null}
          </li>
        ))}
        {rows.length === 0 ? <li className="px-3 py-2 text-13 text-muted">{words.noCommand}</li> : null}
      </ul>
    </dialog>
  )
}
