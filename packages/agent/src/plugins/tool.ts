import type { KnowledgeStore } from '../knowledge/knowledge-store.ts'

/** A function that the model may call. */
export type Tool = {
  /** Letters, digits, `_` and `-`, a letter first; 64 at most, its plugin's namespace included. */
  name: string
  description: string
  parameters: readonly ToolParameter[]
  /** `success: false` and a throw are both failures: the model reads why, and goes on. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each tool knows the types of its own arguments
  execute: (args: any, context: ToolContext) => Promise<ToolResult>
  category?: string
  /** Asks a person before every call. */
  requiresConfirmation?: boolean
  /** `high` asks as well. Default `medium`. */
  riskLevel?: 'low' | 'medium' | 'high'
  /** It changes nothing: calls of one answer run side by side, and one that a crash cut off is run again. */
  readOnly?: boolean
}

export type ToolParameter = {
  name: string
  type: 'string' | 'number' | 'boolean' | 'object' | 'array'
  description: string
  required: boolean
  enum?: readonly string[]
  default?: unknown
  /** Shown as `***` wherever a call is shown; executed as it is. */
  sensitive?: boolean
}

export type ToolResult = {
  success: boolean
  /** What the model reads. */
  content: string
  /** For your program, as JSON: in `tool_call_completed` and in the answer's `toolCalls`. */
  data?: unknown
  error?: { code: string; message: string; details?: unknown }
}

export type ToolContext = {
  sessionId: string
  toolCallId: string
  /** Aborted when the run is stopped and when the time is up. */
  signal: AbortSignal
  logger: Logger
  /** The agent's documents. */
  knowledgeBase: KnowledgeStore
  /** What `chat` was given as `context`; `{}` in a run that goes on after a crash. */
  context: Readonly<Record<string, unknown>>
}

export type Logger = Record<'debug' | 'info' | 'warn' | 'error', (message: string, details?: unknown) => void>

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
/** Those of the loop itself. */
const TAKEN = ['Agent', 'AskUserQuestion']

/** Throws a `TypeError` that says what is wrong with it. */
export function demandTool(tool: Tool): void {
  const { name, description, parameters, execute } = tool
  const wrong = (what: string) => new TypeError(`Tool ${JSON.stringify(name)}: ${what}`)
  if (typeof name !== 'string' || !NAME.test(name))
    throw wrong('name: a letter, then letters, digits, _ and -; 64 at most, its namespace included.')
  if (TAKEN.includes(name)) throw wrong('name: is taken.')
  if (typeof description !== 'string' || description === '') throw wrong('description: must not be empty.')
  if (typeof execute !== 'function') throw wrong('execute: must be a function.')
  if (!Array.isArray(parameters)) throw wrong('parameters: must be a list.')
  const names = parameters.map((parameter: ToolParameter) => parameter.name)
  if (new Set(names).size < names.length) throw wrong('parameters: two have the same name.')
  for (const parameter of parameters as readonly ToolParameter[])
    if (!TYPES.includes(parameter.type)) throw wrong(`parameters.${parameter.name}.type: one of ${TYPES.join(', ')}.`)
  if (!['low', 'medium', 'high', undefined].includes(tool.riskLevel)) throw wrong('riskLevel: low, medium or high.')
}

const TYPES = ['string', 'number', 'boolean', 'object', 'array']

/** Whether a person is asked first. */
export function needsConfirmation({ requiresConfirmation, riskLevel }: Tool): boolean {
  return requiresConfirmation === true || riskLevel === 'high'
}
