/**
 * Is the chat as quick as it should be, and as others? The budgets of the specification, measured in headless Chromium on
 * production builds, side by side with Streamdown (a renderer) and Ant Design X (a whole kit). Times are printed, never
 * asserted. Run: node --conditions=parley-source bench/chatkit.ts [--quick] [--only B1,B6,cases] [--json file]
 */
import { writeFile } from 'node:fs/promises'
import { emphasisCases, inputMethodCases } from './chatkit/cases.ts'
import { type ContenderName, KITS, PAGES, RENDERERS } from './chatkit/contenders.ts'
import { installRivals } from './chatkit/install-rivals.ts'
import {
  comingAndGoing,
  firstPaint,
  type Load,
  quantile,
  type Row,
  streaming,
  streamingBelow,
  typing,
} from './chatkit/loads.ts'
import { openPages, type Pages } from './chatkit/open-pages.ts'
import { type Budgets, type Outcome, type Outcomes, printCases, printLoad, printSizes } from './chatkit/print.ts'
import { measureSizes } from './chatkit/sizes.ts'

const RUNS = process.argv.includes('--quick') ? 1 : 5
/** Who takes this long is measured once: its figure is not close. */
const SLOW_MS = 60_000
const only = optionOf('--only')?.split(',')
const results: Record<string, unknown> = {}

type Question = { title: string; load: Load; names: ContenderName[]; budgets: Budgets }
const QUESTIONS: Record<string, Question> = {
  B1: {
    title: 'B1: an answer of 50 000 characters, 50 per frame',
    load: streaming(50_000, 50),
    names: RENDERERS,
    budgets: { 'script s': 1.5, 'frame p95 ms': 20, 'tasks over 50 ms': 0 },
  },
  B2: {
    title: 'B2: an answer of 200 000 characters, 200 per frame',
    load: streaming(200_000, 200),
    names: RENDERERS,
    budgets: { 'script s': 2.5, 'frame, last quarter / first': 1.1 },
  },
  B3: {
    title: 'B3: opening a conversation of 1 000 messages of 600 characters',
    load: firstPaint,
    names: KITS,
    budgets: { 'first paint ms': 300, elements: 3000 },
  },
  B4: {
    title: 'B4: an answer of 20 000 characters below 1 000 messages, 50 per frame',
    load: streamingBelow,
    names: KITS,
    budgets: { 'frame p95 ms': 20 },
  },
  B5: {
    title: 'B5: typing below 1 000 messages while an answer streams',
    load: typing,
    names: KITS,
    budgets: { 'input to paint p95 ms': 50 },
  },
  B7: {
    title: 'B7: mounted and unmounted 100 times, 20 answers each',
    load: comingAndGoing,
    names: KITS,
    budgets: { 'heap growth MiB': 2 },
  },
}

const versions = await installRivals()
await using pages = await openPages(Object.keys(PAGES) as ContenderName[])
console.log(
  `Chromium ${pages.version}, ${Object.entries(versions)
    .map((pair) => pair.join(' '))
    .join(', ')}.`,
)
console.log(
  `Median of ${RUNS}; who takes longer than ${SLOW_MS / 1000} s is measured once. Nobody colours code, except`,
)
console.log(
  'where it says so; the rivals get the same text at the same pace. Script and work are processor time of the',
)
console.log('main thread. Ratios are to the first column.')
for (const [name, { title, load, names, budgets }] of Object.entries(QUESTIONS)) {
  if (!isWanted(name)) continue
  const outcomes = await measure(pages, load, names)
  results[name] = outcomes
  printLoad(title, outcomes, budgets)
}
if (isWanted('B6')) {
  const sizes = await measureSizes()
  results.B6 = sizes
  printSizes(sizes)
}
if (isWanted('cases')) {
  const emphasis = await ofEach(['ChatKit', 'Streamdown', 'Streamdown + cjk', 'Ant Design X'], emphasisCases)
  printCases('Chinese emphasis', emphasis)
  const inputMethod = await ofEach(KITS, inputMethodCases)
  printCases('Input methods', inputMethod)
  results.cases = { emphasis, inputMethod }
}
const jsonFile = optionOf('--json')
if (jsonFile) await writeFile(jsonFile, JSON.stringify({ versions, results }, null, 2))

/** In turns, so that what else the machine does hits all of them alike. */
async function measure(pages: Pages, load: Load, names: readonly ContenderName[]): Promise<Outcomes> {
  const rows = new Map<ContenderName, Row[]>(names.map((name) => [name, []]))
  const outcomes: Outcomes = {}
  for (let run = 0; run < RUNS; run++)
    for (const name of names) {
      if (outcomes[name]) continue
      const startedAt = performance.now()
      try {
        rows.get(name)!.push(await load(pages, name))
        if (performance.now() - startedAt > SLOW_MS || run === RUNS - 1) outcomes[name] = median(rows.get(name)!)
      } catch (error) {
        outcomes[name] = { failure: error instanceof Error ? error.message : String(error) }
      }
    }
  return Object.fromEntries(names.map((name) => [name, outcomes[name]])) as Outcomes
}

function median(rows: readonly Row[]): Outcome {
  const metrics = Object.keys(rows[0]!)
  const row = Object.fromEntries(
    metrics.map((metric) => [
      metric,
      quantile(
        rows.map((one) => one[metric]!),
        0.5,
      ),
    ]),
  )
  return { row, runs: rows.length }
}

async function ofEach<T>(
  names: readonly ContenderName[],
  ask: (pages: Pages, name: ContenderName) => Promise<T>,
): Promise<Partial<Record<ContenderName, T>>> {
  const answers: Partial<Record<ContenderName, T>> = {}
  for (const name of names) answers[name] = await ask(pages, name)
  return answers
}

function isWanted(name: string): boolean {
  return only === undefined || only.includes(name)
}

function optionOf(name: string): string | undefined {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv[at + 1]
}
