import { checkAgainst } from '../../foreign/check-schema.ts'
import type { JsonValue, ToolInput, ToolOutput } from '../../ports.ts'
import { say } from '../../words/phrases.ts'
import type { ToolContext, ToolDefinition } from '../define-tool.ts'
import type { BackendAnswer } from './ask-backend.ts'
import { type Backends, callBackend } from './call-backend.ts'
import type { HttpTool, KeyedTool } from './config.ts'
import type { OutstandingCalls } from './outstanding-calls.ts'

export type HttpToolWorld = Backends & {
  calls: OutstandingCalls
  /** Where this server can be called back. */
  address: Promise<string>
  onFailed: (tool: HttpTool, reason: string) => void
  onIgnored: (tool: HttpTool, names: string[]) => void
}

/** A tool in a product's backend as a tool of ours. */
export function httpTool(tool: KeyedTool, world: HttpToolWorld): ToolDefinition {
  const { name, description, display_name, schema, risk, requiresConfirmation, readOnly, replay } = tool
  return {
    ...{ name, description, display_name, risk, requiresConfirmation, readOnly, replay },
    provider: 'http',
    writesFiles: false,
    input: schema,
    check: (input) => check(tool, input),
    run: (input, context) => run(tool, { input, context }, world),
    isUnderWay: (tool_call_id) => world.calls.isUnderWay(tool_call_id, replay === 'never'),
  }
}

async function check({ name, schema }: HttpTool, input: JsonValue): Promise<ToolInput> {
  const found = await checkAgainst(schema, input)
  if ('problems' in found && found.problems.length === 0) return { ok: true, value: input }
  // A backend may rely on it: what could not be checked does not get there.
  const problems = 'problems' in found ? found.problems : ['undecided' in found ? found.undecided : found.invalid]
  const named = problems.map((problem) => (problem.startsWith('/') ? problem : `arguments ${problem}`))
  return { ok: false, message: `${name} was called with arguments that do not fit. ${named.join('; ')}` }
}

async function run(
  tool: KeyedTool,
  { input, context }: { input: JsonValue; context: ToolContext },
  world: HttpToolWorld,
): Promise<ToolOutput> {
  const { calls, onFailed } = world
  const { tool_call_id: call_id, session_id, signal } = context
  const call = { call_id, session_id, tool: tool.name }
  try {
    if (await calls.begin(call)) {
      const answer = await ask(tool, { input, context }, world)
      // What came of it is said; a call back beside that is of no use.
      if (answer.type === 'result') {
        calls.closeSoon(call_id)
        return outputOf(tool, answer, world)
      }
      if (answer.type === 'failed') return (await calls.close(call_id)) ?? failureOf(tool, answer, world)
      await calls.accepted(call_id)
    }
    const brought = (await calls.result(call, tool.laterMs, signal)) ?? (await calls.close(call_id))
    if (brought) return brought
    const late = say('result.httpNeverCame', 'en', { tool: tool.name, ms: tool.laterMs })
    onFailed(tool, late)
    return { result: late, isError: true }
  } catch (error) {
    // After a stop it is over. Otherwise this server leaves, and the next one goes on waiting.
    if (signal.reason === 'stop') await calls.close(call_id)
    throw error
  }
}

async function ask(
  tool: KeyedTool,
  { input, context }: { input: JsonValue; context: ToolContext },
  world: HttpToolWorld,
): Promise<BackendAnswer> {
  const { tool_call_id: call_id, session_id, subject, attempt, signal } = context
  const callback_url = `${await world.address}/api/tool-calls/${call_id}/result`
  const bodyOf = (tried: number) =>
    JSON.stringify({
      ...{ call_id, session_id, subject, tool: tool.name, arguments: input },
      attempt: attempt + tried - 1,
      callback_url,
    })
  return callBackend({ tool, call_id, bodyOf, isAgain: attempt > 1, signal }, world)
}

type Of<Type> = Extract<BackendAnswer, { type: Type }>

function outputOf(tool: KeyedTool, { output, ignored }: Of<'result'>, { onIgnored }: HttpToolWorld): ToolOutput {
  if (ignored.length > 0) onIgnored(tool, ignored)
  return output
}

function failureOf(tool: KeyedTool, { message, reason }: Of<'failed'>, { onFailed }: HttpToolWorld): ToolOutput {
  onFailed(tool, reason)
  return { result: message, isError: true }
}
