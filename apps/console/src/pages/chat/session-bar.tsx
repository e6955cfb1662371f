import type { SessionDetail } from '@parley/protocol'
import type { ContextStats } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { FolderOpen, History, Share } from '../../ui/icons.tsx'
import { type ComponentProps, lazy, type ReactNode, Suspense, useState } from 'react'
import { Link } from 'wouter'
import { contextQuery } from '../../data/context.ts'
import { renameSession } from '../../data/sessions.ts'
import { routes } from '../../routes.ts'
import { SheetBar } from '../../shell/frame.tsx'
import { showToast } from '../../shell/toasts.tsx'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { useShortcuts } from '../../shell/use-shortcuts.ts'
import { usePanel } from './panel/use-panel.ts'
import { Rename } from './rename.tsx'
import { chatWords } from './words.ts'

const ShareDialog = lazy(async () => ({ default: (await import('./share/share-dialog.tsx')).ShareDialog }))
const ContextDialog = lazy(async () => ({ default: (await import('./context/context-dialog.tsx')).ContextDialog }))

/** Title, how full the context is, and what else there is to see of this session. */
export function SessionBar({ session }: { session: SessionDetail }) {
  const words = useWords(chatWords)
  const [isRenaming, setRenaming] = useState(false)
  const [isSharing, setSharing] = useState(false)
  const { panel, show } = usePanel()
  const togglePanel = () => show(panel ? null : 'files')
  useShortcuts({ ']': togglePanel })
  const title = session.intent || words.untitled
  return (
    <SheetBar
      back={routes.sessions()}
      title={
        isRenaming ? (
          <Rename
            title={session.intent}
            label={words.renameField}
            onDone={(name) => {
              setRenaming(false)
              if (name !== null && name !== session.intent)
                renameSession(session.id, name).catch((error: Error) => showToast(error.message))
            }}
          />
        ) : (
          <button
            type="button"
            title={words.rename}
            onClick={() => setRenaming(true)}
            className="max-w-full truncate rounded-control px-1 text-left"
          >
            {title}
          </button>
        )
      }
    >
      <ContextMeter id={session.id} head={session.last_event_seq} />
      <BarButton icon={<FolderOpen size={18} />} aria-pressed={panel !== undefined} onClick={togglePanel}>
        {words.files}
      </BarButton>
      <BarButton icon={<Share size={18} />} aria-haspopup="dialog" onClick={() => setSharing(true)}>
        {words.share}
      </BarButton>
      {isSharing ? (
        <Suspense>
          <ShareDialog session={session} onClose={() => setSharing(false)} />
        </Suspense>
      ) : null}
      <WhatHappened id={session.id} />
    </SheetBar>
  )
}

/** A picture with its word; on a phone the picture alone. */
function BarButton({ icon, children, ...props }: ComponentProps<'button'> & { icon: ReactNode; children: string }) {
  return (
    <button
      type="button"
      title={children}
      {...props}
      className="flex min-h-8 flex-none items-center gap-2 rounded-control px-2 text-13 text-muted hover:bg-hover hover:text-text aria-pressed:bg-selected aria-pressed:text-text max-md:size-11 max-md:justify-center"
    >
      {icon}
      <span className="max-md:sr-only">{children}</span>
    </button>
  )
}

/** How much of what the model can take in is taken; pressed, it says by what. */
function ContextMeter({ id, head }: { id: string; head: number }) {
  const words = useWords(chatWords)
  const format = useFormat()
  const [isOpen, setOpen] = useState(false)
  const { data } = useQuery(contextQuery(id, head))
  const share = data ? shareOf(data) : undefined
  if (!data || share === undefined) return null
  const text = format.percent(share)
  return (
    <>
      <button
        type="button"
        title={words.context(text)}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className="flex min-h-8 items-center gap-2 rounded-control px-2 text-12 text-muted hover:bg-hover max-md:hidden"
      >
        <span className="sr-only">{words.context(text)}</span>
        <span aria-hidden="true" className="h-1 w-10 overflow-hidden rounded-full bg-selected">
          <span className="block h-full bg-control" style={{ inlineSize: text }} />
        </span>
        <span aria-hidden="true" className={share >= 0.8 ? 'text-warning' : ''}>
          {text}
        </span>
      </button>
      {isOpen ? (
        <Suspense>
          <ContextDialog id={id} stats={data} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}

function shareOf(stats: ContextStats): number | undefined {
  return stats.context_window > 0 ? Math.min(stats.usage_ratio, 1) : undefined
}

function WhatHappened({ id }: { id: string }) {
  const words = useWords(chatWords)
  return (
    <Link
      href={routes.runs(id)}
      className="flex min-h-8 items-center gap-2 rounded-control px-2 text-13 text-muted hover:bg-hover"
    >
      <History size={18} />
      <span className="max-md:sr-only">{words.whatHappened}</span>
    </Link>
  )
}
