import type { SessionDetail } from '@parley/protocol'
import type { ContextStats } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { client } from '../../data/client.ts'
import { renameSession } from '../../data/sessions.ts'
import { routes } from '../../routes.ts'
import { SheetBar } from '../../shell/frame.tsx'
import { showToast } from '../../shell/toasts.tsx'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Rename } from './rename.tsx'
import { chatWords } from './words.ts'

/** Title, how full the context is, and what else there is to see of this session. */
export function SessionBar({ session }: { session: SessionDetail }) {
  const words = useWords(chatWords)
  const [isRenaming, setRenaming] = useState(false)
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
      <WhatHappened id={session.id} />
    </SheetBar>
  )
}

/** How much of what the model can take in is taken. */
function ContextMeter({ id, head }: { id: string; head: number }) {
  const words = useWords(chatWords)
  const format = useFormat()
  const { data } = useQuery({
    queryKey: ['context-stats', id, head],
    queryFn: () => client.api.get<ContextStats>(`/api/sessions/${encodeURIComponent(id)}/context-stats`),
    placeholderData: (before) => before,
  })
  const share = data ? shareOf(data) : undefined
  if (share === undefined) return null
  const text = format.percent(share)
  return (
    <span title={words.context(text)} className="flex items-center gap-2 px-2 text-12 text-muted max-md:hidden">
      <span className="sr-only">{words.context(text)}</span>
      <span aria-hidden="true" className="h-1 w-10 overflow-hidden rounded-full bg-selected">
        <span className="block h-full bg-control" style={{ inlineSize: text }} />
      </span>
      <span aria-hidden="true" className={share >= 0.8 ? 'text-warning' : ''}>
        {text}
      </span>
    </span>
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
      <History size={18} strokeWidth={1.75} />
      <span className="max-md:sr-only">{words.whatHappened}</span>
    </Link>
  )
}
