import type { UsageReport } from '@parley/protocol/rest'
import type { ReactNode } from 'react'
import { type Format, useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { type Money, useMoney } from '../../texts/money.ts'
import { usageWords, type UsageWords } from './words.ts'

type FiguresProps = {
  report: UsageReport
  /** As long before; not known yet at first. */
  before: UsageReport | undefined
  /** `7 days` */
  range: string
}

/** Four numbers, and in words how they have changed. */
export function Figures({ report, before, range }: FiguresProps) {
  const words = useWords(usageWords)
  const format = useFormat()
  const money = useMoney()
  const { total, currency } = report
  const old = before?.total
  const change = changeIn({ words, format, money, range })
  const tokens = total.input_tokens + total.output_tokens
  const times = total.first_token_ms
  return (
    <dl className="usage-figures">
      <Figure name={words.runs} change={old && change.share(total.runs, old.runs)}>
        {format.number(total.runs)}
      </Figure>
      <Figure name={words.tokens} change={old && change.share(tokens, old.input_tokens + old.output_tokens)}>
        {format.short(tokens)}
      </Figure>
      <Figure
        name={words.cost}
        change={total.cost === undefined ? words.noPrice : old && change.money(total.cost, old.cost, currency)}
      >
        {total.cost === undefined ? (
          '–'
        ) : (
          <>
            {money(total.cost, currency)} <span className="text-12 font-normal text-muted">{words.estimated}</span>
          </>
        )}
      </Figure>
      <Figure name={words.firstToken} change={old && change.time(times?.p50, old.first_token_ms?.p50)}>
        {times ? format.duration(times.p50) : '–'}
      </Figure>
    </dl>
  )
}

function Figure({ name, change, children }: { name: string; change: string | undefined; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col">
      <dt className="text-12 text-muted">{name}</dt>
      <dd className="text-20 font-semibold">{children}</dd>
      <dd className="text-12 text-muted">{change ?? '\u00a0'}</dd>
    </div>
  )
}

/** Less than this is told as no change. */
const SAME = 0.005

type Telling = { words: UsageWords; format: Format; money: Money; range: string }

function changeIn({ words, format, money, range }: Telling) {
  return {
    share(now: number, then: number): string {
      if (then === 0) return now === 0 ? words.same(range) : words.nothingBefore(range)
      const share = now / then - 1
      if (Math.abs(share) < SAME) return words.same(range)
      return share > 0 ? words.more(format.percent(share), range) : words.less(format.percent(-share), range)
    },
    money(now: number, then: number | undefined, currency: string): string {
      if (then === undefined) return words.nothingBefore(range)
      const more = now - then
      if (Math.abs(more) <= SAME * Math.max(now, then)) return words.same(range)
      const amount = money(Math.abs(more), currency)
      return more > 0 ? words.more(amount, range) : words.less(amount, range)
    },
    time(now: number | undefined, then: number | undefined): string | undefined {
      if (now === undefined) return undefined
      if (then === undefined) return words.nothingBefore(range)
      // Percentiles are known to within a hundredth.
      if (Math.abs(now - then) <= 0.02 * Math.max(now, then)) return words.same(range)
      const amount = format.duration(Math.abs(now - then))
      return now > then ? words.slower(amount, range) : words.faster(amount, range)
    },
  }
}
