import type { Case } from './cases.ts'
import type { ContenderName } from './contenders.ts'
import type { Row } from './loads.ts'
import type { Size } from './sizes.ts'

/** What a contender's load came to: medians, or why there are none. */
export type Outcome = { row: Row; runs: number } | { failure: string }
export type Outcomes = Partial<Record<ContenderName, Outcome>>
export type Budgets = Record<string, number>

/** One load as a table: a figure a line, ours first, rivals with their ratio to ours. */
export function printLoad(title: string, outcomes: Outcomes, budgets: Budgets): void {
  const names = Object.keys(outcomes) as ContenderName[]
  const base = rowOf(outcomes[names[0]!])
  console.log(`\n### ${title}\n`)
  table(
    ['', 'budget', ...names.map((name) => `${name}${runsOf(outcomes[name])}`)],
    Object.keys(base ?? {}).map((metric) => [
      metric,
      metric in budgets ? String(budgets[metric]) : '',
      ...names.map((name, i) => cell(outcomes[name], metric, i === 0 ? undefined : base![metric])),
    ]),
  )
  for (const name of names) {
    const outcome = outcomes[name]
    if (outcome && 'failure' in outcome) console.log(`\n${name}: ${outcome.failure}`)
  }
}

export function printSizes(sizes: readonly Size[]): void {
  console.log('\n### B6: KiB gz at first, without React\n')
  const withBudget = (size: number, budget: number | undefined) =>
    `${size.toFixed(1)}${budget === undefined ? '' : ` (${budget})`}`
  table(
    ['', 'JS (budget)', 'CSS (budget)'],
    sizes.map(({ what, js, css, budget }) => [what, withBudget(js, budget?.js), withBudget(css, budget?.css)]),
  )
}

export function printCases(title: string, cases: Partial<Record<ContenderName, Case[]>>): void {
  const names = Object.keys(cases) as ContenderName[]
  console.log(`\n### ${title}\n`)
  table(
    ['', ...names],
    cases[names[0]!]!.map(({ what }, i) => [
      what,
      ...names.map((name) => (cases[name]![i]!.isRight ? 'yes' : '**no**')),
    ]),
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`)
}

const rowOf = (outcome: Outcome | undefined): Row | undefined => (outcome && 'row' in outcome ? outcome.row : undefined)

const runsOf = (outcome: Outcome | undefined): string =>
  outcome && 'runs' in outcome ? `, ${outcome.runs} ${outcome.runs === 1 ? 'run' : 'runs'}` : ''

function cell(outcome: Outcome | undefined, metric: string, base: number | undefined): string {
  const value = rowOf(outcome)?.[metric]
  if (value === undefined) return '–'
  const ratio = base === undefined || base <= 0 ? '' : ` (${(value / base).toFixed(1)}×)`
  return `${Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2)}${ratio}`
}
