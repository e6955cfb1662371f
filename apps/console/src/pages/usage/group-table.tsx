import type { UsageReport, UsageRow } from '@parley/protocol/rest'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { useMoney } from '../../texts/money.ts'
import { nameOf } from './plots.ts'
import { type GroupBy, usageWords } from './words.ts'

type GroupTableProps = { report: UsageReport; by: GroupBy }

/** Who or what used it, the most used first; two lines each on a phone. */
export function GroupTable({ report: { groups, currency }, by }: GroupTableProps) {
  const words = useWords(usageWords)
  const heads = [words.runs, words.failed, words.input, words.cached, words.output, words.cost, words.firstToken]
  return (
    <section aria-label={words.byTitle[by]} className="usage-groups usage-group flex flex-col gap-2">
      <h2 className="text-14 font-semibold">{words.byTitle[by]}</h2>
      <table className="w-full text-13">
        <thead className="max-md:sr-only">
          <tr className="border-b border-line text-12 text-muted">
            <th scope="col" className="text-left font-medium">
              {words.by[by]}
            </th>
            {heads.map((head) => (
              <th key={head} scope="col" className="text-right font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <Group key={group.key} group={group} name={nameOf(group, by, words)} currency={currency} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Group({ group, name, currency }: { group: UsageRow; name: string; currency: string }) {
  const format = useFormat()
  const money = useMoney()
  const words = useWords(usageWords)
  const cells = [
    [words.runs, format.number(group.runs)],
    [words.failed, format.number(group.failed)],
    [words.input, format.short(group.input_tokens)],
    [words.cached, format.short(group.cached_tokens)],
    [words.output, format.short(group.output_tokens)],
    [words.cost, group.cost === undefined ? '–' : money(group.cost, currency)],
    [words.firstToken, group.first_token_ms ? format.duration(group.first_token_ms.p50) : '–'],
  ] as const
  return (
    <tr className="border-b border-line">
      <th scope="row" className="text-left font-medium break-all">
        {name}
      </th>
      {cells.map(([head, value]) => (
        <td key={head} className="text-right whitespace-nowrap text-muted">
          <span className="md:hidden">{head} </span>
          {value}
        </td>
      ))}
    </tr>
  )
}
