import { isDeeper, MAX_JSON_DEPTH } from '@parley/protocol/wire'
import type { JsonValue, Tool, ToolEffect, ToolOutput } from '../ports.ts'
import { askConsent, awaitConsent, hasConsent, refuseHeadless } from './ask-consent.ts'
import type { CallScope } from './call-scope.ts'
import type { LoopEnv } from './loop-env.ts'
import type { LoopEvent } from './loop-events.ts'
import type { Call } from './loop-state.ts'
import { OUTCOME_UNKNOWN, STOPPED_BY_SHUTDOWN } from './messages.ts'
import { parseJson, whyUnreadable } from './loop-arguments.ts'
import { ASK, mayUse } from './offer.ts'
import { settle } from './settle.ts'

/** A `safe` or `keyed` call is begun at most this often; a `never` call once. */
const ATTEMPTS = 3
/** How long an aborted tool may take to settle before it is left behind. */
const GRACE_MS = 1_500

/** One ordinary call: allowed first, then on record, then the deed, then its result. */
export async function* runTool(call: Call, scope: CallScope): AsyncGenerator<LoopEvent, void> {
  const { env } = scope
  const startedAt = env.clock.elapsed()
  const fail = (result: string) => settle(call, scope, { status: 'error', result, startedAt })

  // Asked before: whatever has changed since, the question is closed first.
  if (call.state.type === 'confirming' && !(await awaitConsent(call, scope))) return
  const tool = mayUse(scope.loop, call.name) ? env.tools.find(call.name) : undefined
  const begun = call.state.type === 'claimed' ? call.state.attempt : 0
  // Only its result is waited for: nobody is asked again for what has begun.
  if (tool && begun > 0 && (await tool.isUnderWay?.(call.id)))
    return yield* perform(call, { tool, input: parseJson(textOf(call)) ?? null, attempt: begun + 1, startedAt }, scope)
  // Also of one that is gone by now: it may have been done.
  if (begun > 0 && (!tool || tool.replay === 'never' || begun >= ATTEMPTS)) return yield* fail(OUTCOME_UNKNOWN)
  if (!tool) return yield* fail(whyMissing(call, env))

  for (;;) {
    const text = textOf(call)
    const json = parseJson(text)
    if (json === undefined) return yield* fail(whyUnreadable(call.name, text))
    const input = await tool.check(json)
    if (!input.ok) return yield* fail(input.message)
    const verdict = env.tools.judge(tool, input.value)
    if (verdict.type === 'deny') return yield* fail(verdict.reason)
    if (verdict.type === 'allow' || hasConsent(call, verdict.digest, env)) {
      if (tool.effect) return yield* askForEffect(call, tool.effect(input.value), scope)
      return yield* perform(call, { tool, input: input.value, attempt: begun + 1, startedAt }, scope)
    }
    if (call.consent) {
      // It counts for nothing, nor does what was changed with it: the call is the model's again.
      call.consent = null
      continue
    }
    if (env.headless) return yield* refuseHeadless(call, verdict.digest, scope)
    // Decided while the others of this turn work: on with it, or with the news that it must not be.
    if (!(yield* askConsent(call, verdict, scope))) return
  }
}

/** The arguments as they run: as a person left them, else as the model wrote them. */
function textOf({ consent, arguments: asked }: Call): string {
  return consent?.arguments ?? asked
}

type Deed = { tool: Tool; input: JsonValue; attempt: number; startedAt: number }

async function* perform(call: Call, deed: Deed, scope: CallScope): AsyncGenerator<LoopEvent, void> {
  const { open, env } = scope
  const { tool, attempt, startedAt } = deed
  if (tool.prepare) {
    await tool.prepare(env.signal)
    // Nothing has begun: whoever carries on begins it.
    if (env.signal.aborted || env.isDraining()) return
  }
  call.state = { type: 'claimed', attempt }
  yield {
    type: 'tool:claim',
    turn_id: open.turn_id,
    tool_call_id: call.id,
    attempt,
    digest: call.consent?.digest ?? null,
  }
  if (!(await env.mayAct())) return
  const output = env.signal.aborted ? 'aborted' : await act(deed, call.id, env)
  if (output !== 'aborted') {
    const status = output.isError ? 'error' : 'done'
    return yield* settle(call, scope, { status, result: told(output.result, call), startedAt })
  }
  // After a stop the turn cancels it, with everything else that has no result. What may be begun again is carried on elsewhere.
  if (env.isShutdown() && tool.replay === 'never' && !(await tool.isUnderWay?.(call.id)))
    yield* settle(call, scope, { status: 'error', result: STOPPED_BY_SHUTDOWN, startedAt })
}

/** What only changes our database happens with its result, exactly once. */
async function* askForEffect(
  call: Call,
  effect: ToolEffect,
  { open, env }: CallScope,
): AsyncGenerator<LoopEvent, void> {
  yield { type: 'tool:effect', turn_id: open.turn_id, tool_call_id: call.id, effect }
  const taken = env.inbox.effectOf(call.id)
  if (taken) call.state = { type: 'settled', ...taken }
}

async function act(
  { tool, input, attempt }: Deed,
  tool_call_id: string,
  { signal, clock }: LoopEnv,
): Promise<ToolOutput | 'aborted'> {
  const settled = new AbortController()
  const { promise: isLeftBehind, resolve: leaveBehind } = Promise.withResolvers<void>()
  const onAbort = () => void clock.sleep(GRACE_MS, settled.signal).then(leaveBehind)
  signal.addEventListener('abort', onAbort)
  try {
    const output = await Promise.race([outputOf(tool, input, { tool_call_id, attempt, signal }), isLeftBehind])
    return output && !signal.aborted ? output : 'aborted'
  } finally {
    signal.removeEventListener('abort', onAbort)
    settled.abort()
  }
}

/** A throw is an output too. */
async function outputOf(tool: Tool, input: JsonValue, context: Parameters<Tool['run']>[1]): Promise<ToolOutput> {
  try {
    const output = await tool.run(input, context)
    // Whoever stores or shows it would run out of stack.
    return isDeeper(output.result) ? { result: tooDeep(tool.name), isError: true } : output
  } catch (error) {
    return { result: messageOf(error), isError: true }
  }
}

function tooDeep(name: string): string {
  return `${name} ran, but its result nests deeper than ${MAX_JSON_DEPTH} levels and was left out.`
}

/** The model must know when something else was done than it asked for. */
function told(result: JsonValue, { consent, arguments: asked }: Call): JsonValue {
  if (!consent || consent.arguments === asked) return result
  // JSON text with `_meta` stays readable as such: only then is that part kept from the model.
  const value = typeof result === 'string' && result.includes('"_meta"') ? (parseJson(result) ?? result) : result
  if (typeof value === 'string')
    return `The user changed the arguments to ${consent.arguments} before this ran.\n${value}`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return { ...value, edited_arguments: parseJson(consent.arguments) ?? null }
}

function whyMissing({ name }: Call, { asks }: LoopEnv): string {
  // One that makes sense waits for its answer and never comes here.
  if (name === ASK && asks)
    return `${ASK} needs { questions: [{ question, options: [{ label }] }] } with labels that differ.`
  return `There is no tool named ${name || '(nothing)'}.`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
