import type { JsonValue } from '../ports.ts'
import type { CheckedResult, LoopEnv, OutputContract } from './loop-env.ts'
import type { CallScope } from './call-scope.ts'
import type { LoopEvent, Outcome } from './loop-events.ts'
import type { Call, LoopState, OpenTurn } from './loop-state.ts'
import { parseJson, whyUnreadable } from './loop-arguments.ts'
import { settle } from './settle.ts'

/** How often a structured result may not fit before the run fails. */
const MISFITS = 3
const FENCE = '```'

/** One more try that did not fit; a failure once there were enough. */
export function countMisfit(loop: LoopState, errors: string[]): Extract<Outcome, { status: 'failed' }> | undefined {
  loop.misfits += 1
  if (loop.misfits < MISFITS) return undefined
  const message = `The model never produced a result that fits the schema: ${errors.join('; ')}`
  return {
    status: 'failed',
    finish_reason: null,
    error: { code: 'output_schema_unsatisfied', message, details: { errors } },
  }
}

export function misfit(errors: readonly string[]): string {
  return `The result does not fit the schema: ${errors.join('; ')}`
}

/** The model hands in its structured result; what does not fit goes back to it. */
export async function* submitResult(
  call: Call,
  contract: OutputContract,
  scope: CallScope,
): AsyncGenerator<LoopEvent, void> {
  const checked = await checkHandIn(call, contract)
  yield* settle(
    call,
    scope,
    checked.ok ? { status: 'done', result: 'accepted' } : { status: 'error', result: misfit(checked.errors) },
  )
}

/**
 * What the hand-ins of a settled turn come to: the result, a failure once there were enough that did not fit, or nothing
 * yet. It reads the calls alone, so a turn that is carried on after a restart comes to the same.
 */
export async function checkHandIns(
  loop: LoopState,
  open: OpenTurn,
  { output }: LoopEnv,
): Promise<{ status: 'completed'; output: JsonValue } | Extract<Outcome, { status: 'failed' }> | undefined> {
  if (!output || loop.depth > 0) return undefined
  const handIns = open.calls.filter(({ name }) => name === output.spec.name)
  const checked = await Promise.all(handIns.map((call) => checkHandIn(call, output)))
  const fitting = checked.find((one) => one.ok)
  if (fitting) return { status: 'completed', output: fitting.value }
  return checked.reduce<ReturnType<typeof countMisfit>>(
    (failure, one) => (one.ok ? failure : countMisfit(loop, one.errors)),
    undefined,
  )
}

/** An answer in words that is JSON, alone or as its only fenced part; `undefined` when it is none. */
export async function checkText(
  { parts, isCut }: Pick<OpenTurn, 'parts' | 'isCut'>,
  contract: OutputContract,
): Promise<CheckedResult | undefined> {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const input = isCut || text.trim() === '' ? undefined : (parseJson(text) ?? parseJson(fencedIn(text)))
  return input === undefined ? undefined : contract.check(input)
}

/** What stands between the first fence and the last. With more than one part it is no JSON, and nobody guesses. */
function fencedIn(text: string): string {
  const first = text.indexOf(FENCE)
  const inside = text.slice(first + FENCE.length, text.lastIndexOf(FENCE))
  return first < 0 ? ' ' : inside.replace(/^json\b/i, '') || ' '
}

async function checkHandIn({ name, arguments: text }: Call, contract: OutputContract): Promise<CheckedResult> {
  const input = parseJson(text)
  return input === undefined ? { ok: false, errors: [whyUnreadable(name, text)] } : contract.check(input)
}
