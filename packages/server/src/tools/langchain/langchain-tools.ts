import type { JsonObject, JsonValue, ToolInput, ToolOutput } from '../../ports.ts'
import type { ToolContext, ToolDefinition } from '../define-tool.ts'
import { TOOL_NAME } from '../safe-tool-name.ts'
import { outputOf } from './output.ts'
import { checkWith, jsonSchemaOf } from './schema.ts'

/** What every LangChain tool has. We look at this and nothing else: their package is not among ours. */
type LangChainTool = {
  name: string
  description?: string
  schema?: unknown
  invoke: (input: unknown, config: { signal: AbortSignal }) => Promise<unknown>
}

/**
 * LangChain tool objects as tools of ours. Throws when one of them is none, when its name is not one that models accept
 * (letters, digits, `_` and `-`, 64 at most) or when two have the same.
 */
export function langchainTools(tools: readonly unknown[]): ToolDefinition[] {
  const seen = new Set<string>()
  return tools.map((given, index) => {
    const tool = asTool(given, index)
    if (seen.has(tool.name)) throw new Error(`Two LangChain tools are named ${tool.name}; rename one of them.`)
    seen.add(tool.name)
    return definitionOf(tool)
  })
}

function asTool(given: unknown, index: number): LangChainTool {
  const { name, invoke } = (given ?? {}) as Partial<LangChainTool>
  if (typeof name !== 'string' || typeof invoke !== 'function')
    throw new Error(`LangChain tool number ${index + 1} is not a tool: it needs a name and an invoke function.`)
  if (!TOOL_NAME.test(name))
    throw new Error(
      `"${name}" is not a usable name for a LangChain tool: letters, digits, _ and -, 64 at most. Rename it.`,
    )
  return given as LangChainTool
}

function definitionOf(tool: LangChainTool): ToolDefinition {
  const { name, description, schema } = tool
  return {
    name,
    display_name: { zh: name, en: name },
    description: description ?? name,
    provider: 'langchain',
    risk: 'medium',
    requiresConfirmation: false,
    readOnly: false,
    replay: 'never',
    input: jsonSchemaOf(schema),
    check: (input) => check(name, schema, input),
    run: async (input, context) => invoke(tool, input as JsonObject, context),
  }
}

function check(name: string, schema: unknown, input: JsonValue): ToolInput {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  const problem = isObject ? checkWith(schema, input) : 'arguments: must be an object'
  // As it was given, not as the schema reads it: the tool parses it again, and a transformation must not happen twice.
  if (problem === undefined) return { ok: true, value: input }
  return { ok: false, message: `${name} was called with arguments that do not fit. ${problem}` }
}

async function invoke(
  tool: LangChainTool,
  args: JsonObject,
  { tool_call_id: id, signal }: ToolContext,
): Promise<ToolOutput> {
  signal.throwIfAborted()
  const stopped = Promise.withResolvers<never>()
  const stop = () => stopped.reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    // As a call, not as bare arguments: so the answer comes with its status.
    const call = { type: 'tool_call', id, name: tool.name, args }
    return outputOf(await Promise.race([tool.invoke(call, { signal }), stopped.promise]))
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw new Error(messageOf(error, tool.name), { cause: error })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function messageOf(error: unknown, name: string): string {
  const said = error instanceof Error ? error.message : String(error)
  return said || `${name} failed without saying why.`
}
