import { isDeeper, MAX_JSON_DEPTH } from '@parley/protocol'
import type { JsonValue, Tool, ToolOutput } from '../ports.ts'
import { askConsent, awaitConsent, hasConsent, refuseHeadless } from './ask-consent.ts'
import type { CallScope } from './call-scope.ts'
import type { LoopEnv } from './loop-env.ts'
import type { LoopEvent } from './loop-events.ts'
import type { Call } from './loop-state.ts'
import { OUTCOME_UNKNOWN, STOPPED_BY_SHUTDOWN } from './messages.ts'
import { parseJson, whyUnreadable } from './loop-arguments.ts'
import { ASK, mayUse } from './offer.ts'

/** A `safe` call is begun at most this often; a `never` call once. */
const ATTEMPTS = 3
/** How long an aborted tool may take to settle before it is left behind. */
const GRACE_MS = 1_500

/** One ordinary call: allowed first, then on record, then the deed, then its result. */
export async function* runTool(call: Call, scope: CallScope): AsyncGenerator<LoopEvent, void> {
  const { open, env } = scope
  const startedAt = env.clock.elapsed()
  const settle = function* (status: 'done' | 'error', result: JsonValue): Generator<LoopEvent, void> {
    call.state = { type: 'settled', status, result }
    yield {
      type: 'tool:result',
      turn_id: open.turn_id,
      tool_call_id: call.id,
      status,
      result,
      duration_ms: Math.round(env.clock.elapsed() - startedAt),
    }
  }

  // Asked before: whatever has changed since, the question is closed first.
  if (call.state.type === 'confirming' && !(await awaitConsent(call, scope))) return
  const tool = mayUse(scope.loop, call.name) ? env.tools.find(call.name) : undefined
  const begun = call.state.type === 'claimed' ? call.state.attempt : 0
  // Also of one that is gone by now: it may have been done.
  if (begun > 0 && (tool?.replay !== 'safe' || begun >= ATTEMPTS)) return yield* settle('error', OUTCOME_UNKNOWN)
  if (!tool) return yield* settle('error', whyMissing(call, env))

  for (;;) {
    const text = call.consent?.arguments ?? call.arguments
    const json = parseJson(text)
    if (json === undefined) return yield* settle('error', whyUnreadable(call.name, text))
    const input = await tool.check(json)
    if (!input.ok) return yield* settle('error', input.message)
    const verdict = env.tools.judge(tool, input.value)
    if (verdict.type === 'deny') return yield* settle('error', verdict.reason)
    if (verdict.type === 'allow' || hasConsent(call, verdict.digest, env)) {
      if (tool.effect) return yield* takeEffect(call, tool, input.value, scope)
      return yield* perform(call, tool, input.value, begun + 1, scope, settle)
    }
    if (call.consent) {
      // It counts for nothing, nor does what was changed with it: the call is the model's again.
      call.consent = null
      continue
    }
    if (env.headless) return yield* refuseHeadless(call, verdict.digest, scope)
    // Decided while the others of this turn work: on with it, or with the news that it must not be.
    if (!(yield* askConsent(call, verdict.digest, scope))) return
  }
}

async function* perform(
  call: Call,
  tool: Tool,
  input: JsonValue,
  attempt: number,
  scope: CallScope,
  settle: (status: 'done' | 'error', result: JsonValue) => Generator<LoopEvent, void>,
): AsyncGenerator<LoopEvent, void> {
  const { open, env } = scope
  call.state = { type: 'claimed', attempt }
  yield {
    type: 'tool:claim',
    turn_id: open.turn_id,
    tool_call_id: call.id,
    attempt,
    digest: call.consent?.digest ?? null,
  }
  if (!(await env.mayAct())) return
  const output = env.signal.aborted ? 'aborted' : await act(tool, input, call.id, scope)
  if (output !== 'aborted') return yield* settle(output.isError ? 'error' : 'done', told(output.result, call))
  // After a stop the turn cancels it, with everything else that has no result.
  if (env.isShutdown()) yield* settle('error', STOPPED_BY_SHUTDOWN)
}

/** What only changes our database happens with its result, exactly once. */
async function* takeEffect(
  call: Call,
  tool: Tool,
  input: JsonValue,
  { open }: CallScope,
): AsyncGenerator<LoopEvent, void> {
  yield {
    type: 'tool:effect',
    turn_id: open.turn_id,
    tool_call_id: call.id,
    effect: tool.effect!(input),
    settle: (status, result) => {
      call.state = { type: 'settled', status, result }
    },
  }
}

async function act(
  tool: Tool,
  input: JsonValue,
  tool_call_id: string,
  { env }: CallScope,
): Promise<ToolOutput | 'aborted'> {
  const { signal, clock } = env
  const settled = new AbortController()
  const { promise: isLeftBehind, resolve: leaveBehind } = Promise.withResolvers<void>()
  const onAbort = () => void clock.sleep(GRACE_MS, settled.signal).then(leaveBehind)
  signal.addEventListener('abort', onAbort)
  try {
    const output = await Promise.race([outputOf(tool, input, { tool_call_id, signal }), isLeftBehind])
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
