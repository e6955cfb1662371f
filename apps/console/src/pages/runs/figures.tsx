import type { Run } from '@parley/protocol/rest'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { useMoney } from '../../texts/money.ts'
import type { Timeline } from '../../timeline/timeline.ts'
import { runWords, type ShownStatus } from './words.ts'

const TONES: Partial<Record<ShownStatus, string>> = {
  completed: 'text-success',
  failed: 'text-danger',
  waiting: 'text-warning',
}

type FiguresProps = {
  timeline: Timeline
  status: ShownStatus
  /** As the server knows them: those that continue each other. */
  runs: readonly Run[]
}

/** How it ended, and where the time went: the three sums make the whole. */
export function Figures({ timeline, status, runs }: FiguresProps) {
  const words = useWords(runWords)
  const format = useFormat()
  const { duration, figures } = timeline
  const { workingMs, waitingMs, nobodyMs, usage } = figures
  return (
    <dl className="flex flex-none flex-wrap gap-y-2 px-5 pt-3 max-md:grid max-md:grid-cols-2 max-md:px-4">
      <Figure name={words.outcome} tone={TONES[status]}>
        {words.status[status]}
      </Figure>
      <Figure name={words.total}>{format.duration(duration)}</Figure>
      <Figure name={words.working}>{format.duration(workingMs)}</Figure>
      <Figure name={words.waiting}>{waitingMs > 0 ? format.duration(waitingMs) : '–'}</Figure>
      <Figure name={words.nobodyWorked} tone={nobodyMs > 0 ? 'text-danger' : undefined}>
        {nobodyMs > 0 ? format.duration(nobodyMs) : '–'}
      </Figure>
      <Figure name={words.tokensInOut}>
        {usage ? (
          <>
            {format.number(usage.input_tokens)}
            <span className="font-normal text-muted"> → {format.number(usage.output_tokens)}</span>
          </>
        ) : (
          '–'
        )}
      </Figure>
      <Figure name={words.cost}>
        <Cost runs={runs} />
      </Figure>
    </dl>
  )
}

/** Of all of them together, as far as there are prices. */
function Cost({ runs }: { runs: readonly Run[] }) {
  const words = useWords(runWords)
  const money = useMoney()
  const priced = runs.filter(({ cost }) => cost !== undefined)
  const currency = priced[0]?.currency
  if (currency === undefined) return '–'
  const isPartial = priced.length < runs.length || priced.some(({ cost_is_partial }) => cost_is_partial)
  return (
    <span title={isPartial ? words.costIsPartial : undefined}>
      {money(
        priced.reduce((sum, { cost = 0 }) => sum + cost, 0),
        currency,
      )}
      <span className="text-12 font-normal text-muted"> {isPartial ? words.partlyEstimated : words.estimated}</span>
    </span>
  )
}

type FigureProps = { name: string; tone?: string | undefined; children: React.ReactNode }

function Figure({ name, tone = '', children }: FigureProps) {
  return (
    <div className="flex flex-col border-l border-line px-6 first:border-l-0 first:pl-0 max-md:border-l-0 max-md:px-0">
      <dt className="text-12 text-muted">{name}</dt>
      <dd className={`text-15 font-semibold ${tone}`}>{children}</dd>
    </div>
  )
}
