import type { Run, RunPage } from '@parley/protocol/rest'
import { ChevronRight } from '../../ui/icons.tsx'
import { Link } from 'wouter'
import { routes } from '../../routes.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Empty } from '../../ui/states.tsx'
import { StatusPill, TakenOverPill } from './pills.tsx'
import { runWords } from './words.ts'

/** The runs of a session, the newest first. */
export function RunList({ session_id, runs: { items, total } }: { session_id: string; runs: RunPage }) {
  const words = useWords(runWords)
  if (items.length === 0) return <Empty title={words.noRuns}>{words.noRunsText}</Empty>
  return (
    <div className="grow overflow-y-auto">
      <ol className="mx-auto flex max-w-form flex-col gap-1 p-6 max-md:p-2">
        {items.map((run, index) => (
          <RunRow key={run.run_id} session_id={session_id} run={run} number={total - index} />
        ))}
      </ol>
      {items.length < total ? (
        <p className="px-6 pb-6 text-center text-12 text-faint">{words.onlyNewest(items.length, total)}</p>
      ) : null}
    </div>
  )
}

function RunRow({ session_id, run, number }: { session_id: string; run: Run; number: number }) {
  const words = useWords(runWords)
  const format = useFormat()
  const { run_id, started_at, ended_at, waited_ms, takeovers, usage, model, continues } = run
  const length = ended_at === null ? null : Date.parse(ended_at) - Date.parse(started_at)
  const facts = [
    length === null ? null : format.duration(length),
    waited_ms > 0 ? words.waited(format.duration(waited_ms)) : null,
    usage ? words.tokens(format.number(usage.input_tokens), format.number(usage.output_tokens)) : null,
    model,
    continues === null ? null : words.goesOn,
  ].filter((fact) => fact !== null)
  return (
    <li>
      <Link
        href={routes.run(session_id, run_id)}
        className="flex min-h-13 items-center gap-3 rounded-control px-3 py-2 hover:bg-hover"
      >
        <span className="w-12 flex-none text-right text-13 text-faint">{number}</span>
        <span className="flex min-w-0 grow flex-col">
          <span className="flex flex-wrap items-center gap-2 text-14">
            <time dateTime={started_at} title={format.absolute(started_at)}>
              {`${format.day(started_at)} ${format.clockWithSeconds(started_at)}`}
            </time>
            <StatusPill status={run.status} />
            {takeovers > 0 ? <TakenOverPill count={takeovers} /> : null}
          </span>
          <span className="truncate text-12 text-muted">{facts.join(' · ')}</span>
        </span>
        <ChevronRight size={16} className="flex-none text-faint" />
      </Link>
    </li>
  )
}
