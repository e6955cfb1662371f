import type { JsonValue, Tool, ToolOutput } from '../ports.ts'
import type { CallScope } from './call-scope.ts'
import type { LoopEvent } from './loop-events.ts'
import type { Call } from './loop-state.ts'
import { CANCELLED, OUTCOME_UNKNOWN, STOPPED_BY_SHUTDOWN } from './messages.ts'
import { parseJson } from './offer.ts'

/** A `safe` call is begun at most this often; a `never` call once. */
const ATTEMPTS = 3
/** How long an aborted tool may take to settle before it is left behind. */
const GRACE_MS = 1_500

/** One ordinary call: on record first, then the deed, then its result. */
export async function* runTool(call: Call, scope: CallScope): AsyncGenerator<LoopEvent, void> {
  const { open, env } = scope
  const startedAt = env.clock.now()
  const settle = function* (status: 'done' | 'error' | 'cancelled', result: JsonValue): Generator<LoopEvent, void> {
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
  if (!tool) return yield* settle('error', `There is no tool named ${call.name || '(nothing)'}.`)
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
  if (env.isShutdown()) yield* settle('error', STOPPED_BY_SHUTDOWN)
  else yield* settle('cancelled', CANCELLED)
}

async function act(
  tool: Tool,
  input: JsonValue,
  tool_call_id: string,
  { env }: CallScope,
): Promise<ToolOutput | 'aborted'> {
  const running = tool
    .run(input, { tool_call_id, signal: env.signal })
    .catch((error: unknown): ToolOutput => ({ result: messageOf(error), isError: true }))
  const output = await Promise.race([running, graceAfter(env.signal, env.clock)])
  return env.signal.aborted ? 'aborted' : (output as ToolOutput)
}

async function graceAfter(signal: AbortSignal, clock: CallScope['env']['clock']): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  await clock.sleep(GRACE_MS, new AbortController().signal)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
