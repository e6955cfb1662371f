import { X } from '../../../ui/icons.tsx'
import { useLayoutEffect, useRef } from 'react'
import { useSessionWork } from '../../../data/live/session-work.ts'
import { useWords } from '../../../texts/language.ts'
import { IconButton } from '../../../ui/button.tsx'
import { FilesPanel } from './files-panel.tsx'
import { TasksPanel } from './tasks-panel.tsx'
import { PANELS, usePanel } from './use-panel.ts'
import { panelWords } from './words.ts'

/** Beside the conversation: the session's files, and what it works on. Covers it where there is no room for both. */
export function SidePanel({ id }: { id: string }) {
  const words = useWords(panelWords)
  const { panel, show } = usePanel()
  const element = useRef<HTMLElement>(null)
  useSessionWork(id)
  // Who leaves it from within is back where they opened it.
  useLayoutEffect(() => {
    const own = element.current
    const before = document.activeElement as HTMLElement | null
    return () => {
      if (own?.contains(document.activeElement)) before?.focus()
    }
  }, [])
  return (
    <aside
      ref={element}
      data-area="panel"
      aria-label={words.panel}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) show(null)
      }}
      className="side-panel flex flex-none flex-col border-l border-line bg-surface max-md:border-l-0"
    >
      <header className="flex min-h-13 flex-none items-center gap-1 border-b border-line pr-2 pl-4">
        <div role="tablist" aria-label={words.panel} className="flex h-full grow gap-4">
          {PANELS.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              aria-selected={name === panel}
              onClick={() => show(name)}
              className="border-b-2 border-transparent text-13 text-muted hover:text-text aria-selected:border-accent aria-selected:font-medium aria-selected:text-text"
            >
              {words.names[name]}
            </button>
          ))}
        </div>
        <IconButton label={words.close} shortcut="]" onClick={() => show(null)}>
          <X size={18} />
        </IconButton>
      </header>
      {panel === 'files' ? <FilesPanel id={id} /> : <TasksPanel id={id} />}
    </aside>
  )
}
