import { useQuery } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { chainOf, runsQuery } from '../../data/runs.ts'
import { sessionQuery } from '../../data/sessions.ts'
import { routes } from '../../routes.ts'
import { Frame, SheetBar } from '../../shell/frame.tsx'
import { useWords } from '../../texts/language.ts'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { RunList } from './run-list.tsx'
import { RunView } from './run-view.tsx'
import { runWords } from './words.ts'
import './runs.css'

/** What happened in a session: its runs, and one of them, event by event. */
export function Page() {
  const { id, run } = useParams<{ id: string; run?: string }>()
  const words = useWords(runWords)
  const session = useQuery(sessionQuery(id))
  const runs = useQuery(runsQuery(id))
  const error = session.error ?? runs.error
  const title = session.data?.intent || words.untitled
  if (session.data && runs.data && run !== undefined) {
    const found = chainOf(runs.data.items, run)
    const chain = found.length > 0 ? found.map(({ run_id }) => run_id) : [run]
    return (
      <Frame>
        <RunView key={chain[0]} session_id={id} title={title} chain={chain} runs={runs.data} />
      </Frame>
    )
  }
  return (
    <Frame>
      <SheetBar
        up={routes.session(id)}
        title={
          <h1 className="flex items-baseline gap-2">
            {words.title}
            {session.data ? <span className="truncate text-13 font-normal text-muted">{title}</span> : null}
          </h1>
        }
      />
      {runs.data ? <RunList session_id={id} runs={runs.data} /> : null}
      {!runs.data && error ? (
        <Failure error={error} retry={() => void Promise.all([session.refetch(), runs.refetch()])} />
      ) : null}
      {!runs.data && !error ? <Skeleton /> : null}
    </Frame>
  )
}
