import type { ScheduledTask, ScheduledTaskRun } from '@parley/protocol/rest'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { UNTOLD_MS, useVisibleInterval } from '../../data/live/visible-interval.ts'
import { scheduleRunsQuery } from '../../data/schedules.ts'
import { routes } from '../../routes.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { scheduleWords } from './words.ts'

type Fate = NonNullable<ScheduledTaskRun['fate']> | 'running'

/** What became of every time it was due, the newest first. */
export function RunHistory({ task }: { task: ScheduledTask }) {
  const words = useWords(scheduleWords)
  const interval = useVisibleInterval(UNTOLD_MS)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...scheduleRunsQuery(task.id),
    refetchInterval: interval,
  })
  const runs = data?.pages.flat() ?? []
  return (
    <section className="flex flex-col gap-3">
      <h3 className="text-12 font-medium text-muted">{words.history}</h3>
      {!data && !error ? <Skeleton rows={4} /> : null}
      {!data && error ? <Failure error={error} retry={() => void refetch()} /> : null}
      {data && runs.length === 0 ? <p className="text-13 text-muted">{words.noRuns}</p> : null}
      {runs.length > 1 ? <Strip runs={data?.pages[0] ?? []} /> : null}
      {runs.length > 0 ? (
        <table className="w-full text-left text-13 max-md:block">
          <thead className="max-md:sr-only">
            <tr className="border-b border-line text-12 text-muted">
              <th className="py-2 pr-4 font-medium">{words.when}</th>
              <th className="py-2 pr-4 font-medium">{words.state}</th>
              <th className="py-2 pr-4 text-right font-medium">{words.took}</th>
              <th className="py-2 font-medium">
                <span className="sr-only">{words.session}</span>
              </th>
            </tr>
          </thead>
          <tbody className="max-md:block">
            {runs.map((run) => (
              <RunRow key={run.id} run={run} timezone={task.timezone} />
            ))}
          </tbody>
        </table>
      ) : null}
      {hasNextPage ? (
        <Button className="w-fit" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {words.showMore}
        </Button>
      ) : null}
    </section>
  )
}

function RunRow({ run, timezone }: { run: ScheduledTaskRun; timezone: string }) {
  const words = useWords(scheduleWords)
  const format = useFormat()
  const fate = fateOf(run)
  const at = run.due_at ?? run.triggered_at
  return (
    <tr
      data-fate={fate}
      className="border-b border-line align-top last:border-b-0 max-md:grid max-md:grid-cols-[1fr_auto] max-md:gap-x-4 max-md:py-2"
    >
      <td className="py-2 pr-4 whitespace-nowrap max-md:py-0">
        <time dateTime={at} title={format.absolute(at)}>
          {format.inZone(at, timezone)}
        </time>
        {run.due_at ? null : <span className="ml-2 text-12 text-muted">{words.byHand}</span>}
      </td>
      <td className="py-2 pr-4 max-md:row-start-2 max-md:py-0">
        <span className="inline-flex items-center gap-2">
          <FateMark fate={fate} />
          <span className={fate === 'failed' ? 'text-danger' : fate === 'ran' ? '' : 'text-muted'}>
            {words.fates[fate]}
          </span>
        </span>
        {run.error ? <p className="max-w-[60ch] text-12 break-words text-muted">{reasonIn(run.error)}</p> : null}
        {run.due_before ? (
          <p className="text-12 text-muted">{words.missedUntil(format.inZone(run.due_before, timezone))}</p>
        ) : null}
      </td>
      <td className="py-2 pr-4 text-right whitespace-nowrap text-muted max-md:py-0 max-md:pr-0">
        {run.session_id && run.finished_at ? format.duration(lengthOf(run)) : null}
      </td>
      <td className="py-2 text-right whitespace-nowrap max-md:row-start-2 max-md:-my-3 max-md:py-0">
        {run.session_id ? (
          <Link
            href={routes.session(run.session_id)}
            className="font-medium text-accent max-md:inline-flex max-md:min-h-11 max-md:items-center"
          >
            {words.openSession}
          </Link>
        ) : null}
      </td>
    </tr>
  )
}

/** The last runs at a glance: how long each took, and what became of it; the newest at the right. */
function Strip({ runs }: { runs: readonly ScheduledTaskRun[] }) {
  const words = useWords(scheduleWords)
  const format = useFormat()
  const longest = Math.max(...runs.map(lengthOf), 1)
  const count = (...fates: Fate[]) => format.number(runs.filter((run) => fates.includes(fateOf(run))).length)
  const text = words.lastRuns({
    total: format.number(runs.length),
    done: count('ran'),
    failed: count('failed'),
    skipped: count('skipped', 'missed'),
  })
  const colours = {
    ran: 'bg-control',
    failed: 'bg-danger',
    skipped: 'bg-line',
    missed: 'bg-line',
    running: 'bg-accent',
  }
  return (
    <p className="flex items-end gap-3 text-13 text-muted max-md:flex-col max-md:items-start max-md:gap-1">
      <span aria-hidden="true" className="flex h-6 items-end gap-0.5">
        {runs.toReversed().map((run) => (
          <span
            key={run.id}
            className={`w-1 rounded-full ${colours[fateOf(run)]}`}
            style={{ blockSize: `${Math.round(20 + 80 * Math.sqrt(lengthOf(run) / longest))}%` }}
          />
        ))}
      </span>
      {text}
    </p>
  )
}

function FateMark({ fate }: { fate: Fate }) {
  const shapes = {
    ran: 'size-2 bg-success',
    failed: 'size-2 border-2 border-danger',
    skipped: 'h-0.5 w-2 bg-control',
    missed: 'h-0.5 w-2 bg-control',
    running: 'size-3 border-2 border-accent border-r-transparent animate-[spin_1200ms_linear_infinite]',
  }
  return (
    <span aria-hidden="true" className="flex w-3 flex-none justify-center">
      <span className={`rounded-full ${shapes[fate]}`} />
    </span>
  )
}

const fateOf = ({ fate, status }: ScheduledTaskRun): Fate => fate ?? (status === 'running' ? 'running' : 'failed')

function lengthOf({ triggered_at, finished_at, session_id }: ScheduledTaskRun): number {
  if (!session_id) return 0
  return Math.max(0, (finished_at ? Date.parse(finished_at) : Date.now()) - Date.parse(triggered_at))
}

/** Without the code in front, which is for programs. */
function reasonIn(error: string): string {
  const sentence = error.replace(/^[a-z_]+: /, '')
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
