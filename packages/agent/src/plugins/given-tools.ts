import type { GivenContext, GivenTool } from '@parley/server/in-process'
import type { KnowledgeStore } from '../knowledge/knowledge-store.ts'
import { checkArguments, schemaOf } from './arguments.ts'
import { type Logger, needsConfirmation, type Tool, type ToolResult } from './tool.ts'

/** What a run's tools are bound to. */
export type Binding = {
  /** As the caller knows it. */
  sessionId: string
  context: Readonly<Record<string, unknown>>
  logger: Logger
  knowledgeBase: KnowledgeStore
  timeoutMs: number
  /** `false`: nobody is asked, whatever a tool says of itself. */
  asks: boolean
  /** The name of a tool whose calls ask whatever is said of it. */
  mustAsk?: string | undefined
}

/** A plugin's tools as the core calls them; the same value for the same tool, for as long as it is loaded. */
export function givenTools(list: () => readonly Tool[], binding: Binding): () => GivenTool[] {
  const made = new WeakMap<Tool, GivenTool>()
  return () =>
    list().map((tool) => {
      const known = made.get(tool) ?? givenTool(tool, binding)
      made.set(tool, known)
      return known
    })
}

function givenTool(tool: Tool, binding: Binding): GivenTool {
  const { name, description, parameters, riskLevel = 'medium', readOnly = false } = tool
  const asks = binding.mustAsk === name || (binding.asks && needsConfirmation(tool))
  return {
    ...{ name, description, readOnly },
    risk: asks || riskLevel !== 'high' ? riskLevel : 'medium',
    requiresConfirmation: asks,
    replay: readOnly ? 'safe' : 'never',
    timeoutMs: binding.timeoutMs,
    input: schemaOf(parameters),
    check: (given) => checkArguments({ name, parameters }, given),
    run: (args, context) => execute(tool, args, context, binding),
  }
}

// oxlint-disable-next-line max-params
async function execute(
  tool: Tool,
  args: Record<string, unknown>,
  { tool_call_id: toolCallId, signal }: GivenContext,
  { sessionId, context, logger, knowledgeBase }: Binding,
): Promise<unknown> {
  const result = await tool.execute(args, { sessionId, toolCallId, signal, logger, context, knowledgeBase })
  if (!isResult(result)) throw new Error(`${tool.name} ran, but gave no result: { success, content } was expected.`)
  const { success, content, data, error } = result
  if (!success) throw new Error(error?.message || content || `${tool.name} failed without saying why.`)
  return data === undefined ? content : { content, data }
}

function isResult(value: unknown): value is ToolResult {
  return typeof value === 'object' && value !== null && 'success' in value && 'content' in value
}

/** What a stored result was made of. */
export function readResult(stored: unknown): { content: string; data?: unknown } {
  if (typeof stored === 'string') return { content: stored }
  const { content, data } = (stored ?? {}) as { content?: unknown; data?: unknown }
  if (typeof content !== 'string') return { content: JSON.stringify(stored ?? null) }
  return { content, ...(data !== undefined && { data }) }
}
