import type { UsageReport } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { Download } from '../../ui/icons.tsx'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { meQuery } from '../../data/account.ts'
import { routes } from '../../routes.ts'
import { Frame, SheetBar } from '../../shell/frame.tsx'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { useMoney } from '../../texts/money.ts'
import { Button } from '../../ui/button.tsx'
import { LastRead } from '../../ui/last-read.tsx'
import { saveCsv } from '../../ui/save-file.ts'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { Figures } from './figures.tsx'
import { GroupTable } from './group-table.tsx'
import { PlotCard } from './plot-card.tsx'
import { type Plot, plotsOf } from './plots.ts'
import { daysIn, isHourly, type Range, startsOf } from './range.ts'
import { Toolbar } from './toolbar.tsx'
import { useAsked, useUsage } from './use-usage.ts'
import { type GroupBy, usageWords } from './words.ts'
import './usage.css'

/** What runs have used: how many, how much, how dear, how long. Everything is in the address. */
export function Page() {
  const words = useWords(usageWords)
  const { data: me } = useQuery(meQuery)
  const isOwner = me?.role === 'owner'
  const { range, by, isDefault } = useAsked()
  const { all, before, grouped } = useUsage(range, by)
  const report = all.data
  const isEmpty = report !== undefined && report.total.runs === 0 && report.buckets.length === 0
  const error = all.error ?? grouped.error ?? before.error
  return (
    <Frame>
      <SheetBar
        title={
          <h1 className="flex items-baseline gap-3 max-md:flex-col max-md:gap-0">
            {words.title}
            <span className="text-12 font-normal text-muted">{isOwner ? words.everybody : words.yours}</span>
          </h1>
        }
      >
        {report && !isEmpty ? (
          <Button kind="quiet" onClick={() => saveCsv(rowsOf(grouped.data ?? report), 'usage.csv')}>
            <Download size={16} strokeWidth={1.75} />
            {words.csv}
          </Button>
        ) : null}
      </SheetBar>
      <Toolbar isOwner={isOwner} />
      <div className="grow overflow-y-auto">
        {!report && all.error ? <Failure error={all.error} retry={() => void all.refetch()} /> : null}
        {!report && !all.error ? <Skeleton rows={12} /> : null}
        {isEmpty && isDefault ? <Empty title={words.emptyTitle}>{words.emptyText}</Empty> : null}
        {isEmpty && !isDefault ? (
          <Empty
            title={words.emptyRange}
            action={
              <Link href={routes.usage} className="text-13 font-medium text-accent">
                {words.lastWeek}
              </Link>
            }
          />
        ) : null}
        {report && !isEmpty ? (
          <Report report={report} before={before.data} grouped={by ? grouped.data : undefined} {...{ range, by }} />
        ) : null}
      </div>
      {error && report ? <LastRead at={all.dataUpdatedAt} /> : null}
    </Frame>
  )
}

type ReportProps = {
  report: UsageReport
  before: UsageReport | undefined
  grouped: UsageReport | undefined
  range: Range
  by: GroupBy | null
}

function Report({ report, before, grouped, range, by }: ReportProps) {
  const words = useWords(usageWords)
  const format = useFormat()
  const money = useMoney()
  const [at, setAt] = useState<number | null>(null)
  const starts = useMemo(() => startsOf(range), [range])
  const labels = useMemo(
    () => starts.map((start) => `${format.day(start)}${isHourly(range) ? ` ${format.clock(start)}` : ''}`),
    [starts, range, format],
  )
  const days = daysIn(range)
  const told = days === 1 ? words.oneDay : words.days(format.number(days))
  const plots = useMemo(
    () => plotsOf({ report, grouped, starts, range: told, words, format, money }),
    [report, grouped, starts, told, words, format, money],
  )
  return (
    <div className="flex flex-col gap-6 px-5 py-6 max-md:p-4">
      <Figures report={report} before={before} range={told} />
      {report.total.cost_is_partial ? <p className="text-12 text-muted">{words.partial}</p> : null}
      <div className="usage-plots">
        {plots.map((plot) => (
          <PlotCard key={plot.name} {...{ plot, starts, labels, at }} onAt={setAt} />
        ))}
        {by && grouped ? <GroupTable report={grouped} by={by} /> : null}
      </div>
      <p role="status" className="sr-only">
        {at === null ? '' : valuesAt(plots, at)}
      </p>
    </div>
  )
}

/** All values where the line stands, to be read aloud. */
function valuesAt(plots: readonly Plot[], at: number): string {
  return plots
    .flatMap(({ series, show }) =>
      series.map(({ name, values }) => `${name} ${values[at] == null ? '–' : show(values[at])}`),
    )
    .join(', ')
}

const FIGURES = [
  ...(['runs', 'failed', 'interrupted', 'paused', 'input_tokens', 'cached_tokens', 'output_tokens'] as const),
  ...(['cost', 'waited_ms'] as const),
]

function rowsOf({ buckets, currency, by }: UsageReport) {
  const times = ['first_token_p50_ms', 'first_token_p95_ms', 'run_p50_ms', 'run_p95_ms']
  return [
    ['start', ...(by ? [by, 'name'] : []), ...FIGURES, 'currency', ...times],
    ...buckets.map((row) => [
      row.start,
      ...(by ? [row.key, row.name] : []),
      ...FIGURES.map((figure) => row[figure]),
      currency,
      ...[row.first_token_ms?.p50, row.first_token_ms?.p95, row.run_ms?.p50, row.run_ms?.p95],
    ]),
  ]
}
