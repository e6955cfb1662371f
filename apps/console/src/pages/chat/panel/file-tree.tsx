import type { DirectoryEntry } from '@parley/client'
import { useQuery } from '@tanstack/react-query'
import { ChevronRight, File, Folder, FolderOpen } from '../../../ui/icons.tsx'
import { useState } from 'react'
import { directoryQuery } from '../../../data/workspace.ts'
import { useFormat } from '../../../texts/format.ts'
import { useWords } from '../../../texts/language.ts'
import { usePanel } from './use-panel.ts'
import { panelWords } from './words.ts'

type TreeProps = { id: string; entries: readonly DirectoryEntry[]; depth?: number }

const ROW =
  'flex min-h-8 w-full items-center gap-2 rounded-control pr-2 text-left text-13 hover:bg-hover max-md:min-h-11'

/** Folders open where they stand; a file opens in the panel. */
export function FileTree({ id, entries, depth = 0 }: TreeProps) {
  return (
    <ul>
      {entries.map((entry) => (
        <li key={entry.path}>
          {entry.is_dir ? <FolderRow id={id} entry={entry} depth={depth} /> : <FileRow entry={entry} depth={depth} />}
        </li>
      ))}
    </ul>
  )
}

function FolderRow({ id, entry, depth }: { id: string; entry: DirectoryEntry; depth: number }) {
  const [isOpen, setOpen] = useState(false)
  const { data, error } = useQuery({ ...directoryQuery(id, entry.path), enabled: isOpen })
  const words = useWords(panelWords)
  const Picture = isOpen ? FolderOpen : Folder
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className={ROW}
        style={indent(depth)}
      >
        <ChevronRight
          size={16}

          aria-hidden="true"
          className={`flex-none text-muted ${isOpen ? 'rotate-90' : ''}`}
        />
        <Picture size={16} aria-hidden="true" className="flex-none text-muted" />
        <span className="min-w-0 grow truncate" title={entry.path}>
          {entry.name}
        </span>
      </button>
      {isOpen && error && !data ? <Note depth={depth + 1}>{error.message}</Note> : null}
      {isOpen && data?.length === 0 ? <Note depth={depth + 1}>{words.emptyFolder}</Note> : null}
      {isOpen && data && data.length > 0 ? <FileTree id={id} entries={data} depth={depth + 1} /> : null}
    </>
  )
}

function FileRow({ entry, depth }: { entry: DirectoryEntry; depth: number }) {
  const { show } = usePanel()
  const format = useFormat()
  return (
    <button
      type="button"
      data-file={entry.path}
      onClick={() => show('files', entry.path)}
      className={ROW}
      style={indent(depth)}
    >
      <span className="w-4 flex-none" />
      <File size={16} aria-hidden="true" className="flex-none text-muted" />
      <span className="min-w-0 grow truncate" title={entry.path}>
        {entry.name}
      </span>
      {entry.size === undefined ? null : (
        <span className="flex-none text-12 text-faint">{format.bytes(entry.size)}</span>
      )}
    </button>
  )
}

function Note({ depth, children }: { depth: number; children: string }) {
  return (
    <p className="min-h-8 py-1 text-12 text-muted" style={indent(depth + 1)}>
      {children}
    </p>
  )
}

const indent = (depth: number) => ({ paddingInlineStart: `${8 + depth * 16}px` })
