import { addUsage } from '@parley/protocol/wire'
import type { Usage } from '@parley/protocol'
import type { Model, ModelFailure, ModelInput } from '../../ports.ts'
import { isEmpty, type Keepsakes, missingIn } from './keepsakes.ts'
import { appendix, summaryInput, type SummaryRequest } from './summary-request.ts'
import type { TokenCounter } from './token-counter.ts'

export type SummarizeOptions = {
  model: Model
  counter: TokenCounter
  /** Pieces of the record, oldest first. */
  pieces: readonly string[]
  sofar: string
  keepsakes: Keepsakes
  /** What one call may be given of the record. */
  recordTokens: number
  maxOutputTokens: number
  /** Takes out what must not stand in a summary, should the model know it from elsewhere. */
  mask: (text: string) => string
  signal: AbortSignal
}

/** `stopped`: by whoever holds the signal. */
export type Summary =
  | { status: 'done'; text: string; usage: Usage | null }
  | { status: 'failed'; failure: ModelFailure; usage: Usage | null }
  | { status: 'stopped' }

/** A call that did not fit is made again with half as much, so often. */
const HALVINGS = 3

/**
 * Sums up a record that may be longer than the model's window: part after part, each together with the summary of those
 * before. Yields what the model is given. A last summary that has lost what must be kept is refused, and made once more; what
 * is lost then is put back word for word.
 */
export async function* summarize(options: SummarizeOptions): AsyncGenerator<ModelInput, Summary> {
  const { mask, keepsakes, counter, pieces } = options
  const sizes = await counter.ofTexts(pieces)
  let { sofar } = options
  let usage: Usage | null = null
  let { recordTokens } = options
  let halvings = 0
  for (let from = 0; from < pieces.length;) {
    const to = endOfPart(sizes, from, recordTokens)
    const request: SummaryRequest = { sofar, transcript: pieces.slice(from, to).join('\n\n'), keepsakes }
    const isLast = to === pieces.length
    const summary: Summary = yield* isLast ? checked(request, options) : ask(request, options)
    if (summary.status === 'stopped') return summary
    usage = addUsage(usage, summary.usage)
    if (summary.status === 'done') {
      sofar = mask(summary.text)
      from = to
    } else if (summary.failure.kind === 'overflow' && halvings < HALVINGS) {
      halvings += 1
      recordTokens = Math.floor(recordTokens / 2)
    } else return { ...summary, usage }
  }
  return { status: 'done', text: sofar, usage }
}

/** At least one piece, whatever its size: nobody else could take it. */
function endOfPart(sizes: readonly number[], from: number, recordTokens: number): number {
  let to = from + 1
  for (let tokens = sizes[from]!; to < sizes.length && tokens + sizes[to]! <= recordTokens; to++) tokens += sizes[to]!
  return to
}

/** Refused once when it has lost something. */
async function* checked(request: SummaryRequest, options: SummarizeOptions): AsyncGenerator<ModelInput, Summary> {
  const first = yield* ask(request, options)
  if (first.status !== 'done') return first
  const missing = missingIn(first.text, request.keepsakes)
  if (isEmpty(missing)) return first
  const second = yield* ask({ ...request, lost: { summary: first.text, missing } }, options)
  if (second.status === 'stopped') return second
  const usage = addUsage(first.usage, second.usage)
  const text = second.status === 'done' ? second.text : first.text
  const lost = missingIn(text, request.keepsakes)
  return { status: 'done', text: isEmpty(lost) ? text : `${text}\n\n${appendix(lost)}`.trim(), usage }
}

async function* ask(request: SummaryRequest, options: SummarizeOptions): AsyncGenerator<ModelInput, Summary> {
  const { model, signal, maxOutputTokens } = options
  const input = { ...summaryInput(request), maxOutputTokens }
  yield input
  let text = ''
  for await (const event of model.stream({ ...input, purpose: 'compaction', signal })) {
    if (signal.aborted) break
    if (event.type === 'text') text += event.delta
    if (event.type === 'failed') return { status: 'failed', failure: event.failure, usage: event.usage }
    if (event.type !== 'finish') continue
    if (text.trim() !== '') return { status: 'done', text: text.trim(), usage: event.usage }
    return { status: 'failed', failure: nothing('the model returned an empty summary'), usage: event.usage }
  }
  if (signal.aborted) return { status: 'stopped' }
  return { status: 'failed', failure: nothing('the summary broke off without an end'), usage: null }
}

function nothing(message: string): ModelFailure {
  return { kind: 'server', message, incomplete: true }
}
