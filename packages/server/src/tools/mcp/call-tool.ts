import type { CallToolResult } from '@modelcontextprotocol/client'
import { checkAgainst } from '../../foreign/check-schema.ts'
import type { Clock, JsonObject, ToolOutput } from '../../ports.ts'
import type { ToolContext } from '../define-tool.ts'
import { showProgress } from '../show-progress.ts'
import type { McpServer } from './mcp-server.ts'
import { toolResult } from './tool-result.ts'

/** Of what a server says went wrong: the model reads it. */
const MESSAGE_SHOWN = 10_000

export type McpCall = {
  server: McpServer
  /** As the server calls it. */
  tool: string
  title: string
  input: JsonObject
  context: ToolContext
}

/**
 * One call, from its arguments to what people see. After an abort it ends at once; the server is told. `onFailed` hears of
 * one that got no answer.
 */
export async function callTool(
  { server, tool, title, input, context }: McpCall,
  clock: Clock,
  onFailed: (said: string) => void,
): Promise<ToolOutput> {
  const { signal, notify, workspace } = context
  const { timeoutMs } = server.config
  const onProgress = showProgress(title, notify, () => clock.elapsed())
  const stopped = untilAborted(signal)
  try {
    const answer = await Promise.race([server.call({ tool, input, timeoutMs, signal, onProgress }), stopped.promise])
    await demandOutput(server, tool, answer)
    return await toolResult(answer, workspace)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const said = readable(error, server, tool)
    onFailed(said)
    throw new Error(said, { cause: error })
  } finally {
    stopped.forget()
  }
}

/** A structured answer must be what the tool promised; where that cannot be found out in time, it is taken as it is. */
async function demandOutput({ tools }: McpServer, tool: string, answer: CallToolResult): Promise<void> {
  const schema = tools.find(({ name }) => name === tool)?.outputSchema
  if (!schema || answer.structuredContent === undefined || answer.isError) return
  const judged = await checkAgainst(schema as JsonObject, answer.structuredContent as JsonObject)
  if ('problems' in judged && judged.problems.length > 0)
    throw new Error(`its structured answer is not what it promised: ${judged.problems.join('; ')}`)
}

function readable(error: unknown, { name, config }: McpServer, tool: string): string {
  const { code, message } = error as { code?: unknown; message: string }
  if (code === 'CONNECTION_CLOSED')
    return `The MCP server "${name}" ended while ${tool} was running; whether it took effect is unknown. The server is being restarted.`
  if (code === 'REQUEST_TIMEOUT')
    return `The MCP server "${name}" did not answer ${tool} within ${config.timeoutMs} ms; the call was cancelled.`
  return message.startsWith(`The MCP server "${name}"`)
    ? message.slice(0, MESSAGE_SHOWN)
    : `The MCP server "${name}" could not run ${tool}: ${message.slice(0, MESSAGE_SHOWN)}`
}

function untilAborted(signal: AbortSignal): { promise: Promise<never>; forget: () => void } {
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason as Error)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  return { promise, forget: () => signal.removeEventListener('abort', stop) }
}
