import type { JsonValue, Tool, ToolOutput } from '../ports.ts'
import type { CallScope } from './call-scope.ts'
import type { LoopEnv } from './loop-env.ts'
import type { LoopEvent } from './loop-events.ts'
import type { Call } from './loop-state.ts'
import { OUTCOME_UNKNOWN, STOPPED_BY_SHUTDOWN } from './messages.ts'
import { ASK, parseJson } from './offer.ts'

/** A `safe` call is begun at most this often; a `never` call once. */
const ATTEMPTS = 3
/** How long an aborted tool may take to settle before it is left behind. */
const GRACE_MS = 1_500

/** One ordinary call: on record first, then the deed, then its result. */
export async function* runTool(call: Call, scope: CallScope): AsyncGenerator<LoopEvent, void> {
  const { open, env } = scope
  const startedAt = env.clock.now()
  const settle = function* (status: 'done' | 'error', result: JsonValue): Generator<LoopEvent, void> {
    call.state = { type: 'settled', status, result }
    yield {
      type: 'tool:result',
      turn_id: open.turn_id,
      tool_call_id: call.id,
      status,
      result,
      duration_ms: env.clock.now() - startedAt,
    }
  }

  const tool = env.tools.find(call.name)
  if (!tool) return yield* settle('error', whyMissing(call, env))
  const begun = call.state.type === 'claimed' ? call.state.attempt : 0
  if (begun > 0 && (tool.replay === 'never' || begun >= ATTEMPTS)) return yield* settle('error', OUTCOME_UNKNOWN)

  const json = parseJson(call.arguments)
  if (json === undefined) return yield* settle('error', `The arguments of ${call.name} are not valid JSON.`)
  const input = tool.check(json)
  if (!input.ok) return yield* settle('error', input.message)

  const attempt = begun + 1
  call.state = { type: 'claimed', attempt }
  yield { type: 'tool:claim', turn_id: open.turn_id, tool_call_id: call.id, attempt }
  if (!env.mayAct()) return
  const output = env.signal.aborted ? 'aborted' : await act(tool, input.value, call.id, scope)
  if (output !== 'aborted') return yield* settle(output.isError ? 'error' : 'done', output.result)
  // After a stop the turn cancels it, with everything else that has no result.
  if (env.isShutdown()) yield* settle('error', STOPPED_BY_SHUTDOWN)
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
    return await tool.run(input, context)
  } catch (error) {
    return { result: messageOf(error), isError: true }
  }
}

function whyMissing({ name }: Call, { headless }: LoopEnv): string {
  // One that makes sense waits for its answer and never comes here.
  if (name === ASK && !headless)
    return `${ASK} needs { questions: [{ question, options: [{ label }] }] } with labels that differ.`
  return `There is no tool named ${name || '(nothing)'}.`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
