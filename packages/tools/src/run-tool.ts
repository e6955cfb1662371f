import { z } from 'zod'
import { boundResult } from './bound-result.ts'
import { carried } from './carried.ts'
import { problemsIn } from './problems-in.ts'
import type { Json, OwnTool, ToolContext } from './tool.ts'

/** What became of a call, as the model gets it. */
export type ToolResult = {
  status: 'done' | 'error'
  result: Json
  /** False when it was aborted and went on all the same; a server ends the process that it runs in. */
  settled: boolean
}

/** How long a tool that was aborted may take to settle. */
export const GRACE_MS = 1_000

const PROBLEMS_SHOWN = 10
const MESSAGE_SHOWN = 10_000

/**
 * Runs a tool as the server would: checks the arguments, aborts it when its time is up, and gives what it returns or
 * throws as the model would read it. Never throws. For tests; whatever `context` leaves out has a stand-in.
 */
export async function runTool(tool: OwnTool, input: unknown, context: Partial<ToolContext> = {}): Promise<ToolResult> {
  const given = carried(input)
  if (!given.ok) return failed(`${tool.name} was called with arguments that are no JSON: ${given.problem}`)
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error(tookTooLong(tool))), tool.timeoutMs)
  const signal = AbortSignal.any([late.signal, ...(context.signal ? [context.signal] : [])])
  const over = Promise.withResolvers<ToolResult>()
  let grace: NodeJS.Timeout | undefined
  const end = () => {
    grace = setTimeout(() => over.resolve({ ...failed(whyAborted(signal)), settled: false }), GRACE_MS)
  }
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  try {
    const result = await Promise.race([outcome(tool, given.value, { ...STAND_IN, ...context, signal }), over.promise])
    return signal.aborted && result.settled ? failed(whyAborted(signal)) : result
  } finally {
    clearTimeout(timer)
    clearTimeout(grace)
    signal.removeEventListener('abort', end)
  }
}

const STAND_IN: Omit<ToolContext, 'signal'> = {
  session_id: 'sess_test',
  subject: null,
  tool_call_id: 'call_test',
  attempt: 1,
  workspace: '.',
  progress: () => undefined,
}

async function outcome(tool: OwnTool, given: Json, context: ToolContext): Promise<ToolResult> {
  try {
    const input = await checked(tool, given)
    if (!input.ok)
      return failed(
        `${tool.name} was called with arguments that do not fit. ${input.problems.slice(0, PROBLEMS_SHOWN).join('; ')}`,
      )
    context.signal.throwIfAborted()
    const result = carried(await tool.run(input.value as never, context))
    if (!result.ok) return failed(`${tool.name} ran, but its result is no JSON: ${result.problem}`)
    return { status: 'done', result: boundResult(result.value), settled: true }
  } catch (error) {
    return failed(messageOf(error, tool.name))
  }
}

async function checked(tool: OwnTool, given: Json): ReturnType<NonNullable<OwnTool['parse']>> {
  if (tool.parse) return tool.parse(given)
  const schema = zodOf(tool.input)
  const found = await schema?.safeParseAsync(given)
  // As it was given: what a JSON Schema says of defaults is for the reader.
  return found && !found.success ? { ok: false, problems: problemsIn(found.error) } : { ok: true, value: given }
}

/** `undefined` for a schema that zod cannot say; the server has checked it by then. */
function zodOf(schema: OwnTool['input']): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(schema)
  } catch {
    return undefined
  }
}

function failed(result: string): ToolResult {
  return { status: 'error', result, settled: true }
}

function tookTooLong({ name, timeoutMs }: OwnTool): string {
  return `${name} took longer than ${timeoutMs} ms.`
}

function whyAborted({ reason }: AbortSignal): string {
  return messageOf(reason, 'The call')
}

/** Whatever somebody threw. */
function messageOf(thrown: unknown, name: string): string {
  let said: unknown
  try {
    said = thrown instanceof Error ? thrown.message : String(thrown)
  } catch {
    // It does not even want to be text.
  }
  return (typeof said === 'string' && said.slice(0, MESSAGE_SHOWN)) || `${name} failed without saying why.`
}
