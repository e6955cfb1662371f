import type { AgentEvent, PendingConfirmation } from '@parley/protocol/agent-sse'
import { NotSupportedError } from './knowledge.ts'
import type { LLMConfig } from './llm/llm-manager.ts'
import { LLMManager } from './llm/llm-manager.ts'
import type { AgentPlugin } from './plugins/agent-plugin.ts'
import type { Logger } from './plugins/tool.ts'
import type { ToolCallRecord } from './responses.ts'

export type AgentConfig = {
  /** Who answers: a port of yours, or a provider. */
  llm: LLMConfig | LLMManager
  /** Loaded in this order, before the first message. */
  plugins?: readonly AgentPlugin[]
  /** What the model is told first. */
  systemPrompt?: string
  behavior?: Partial<Behavior>
  /** A directory that holds the SQLite file, made if it is not there. Absent: everything is in memory. */
  dataDir?: string
  /** Of texts that the agent itself says. Default `zh`. */
  language?: 'zh' | 'en'
  /** Where trouble is told. Default the console, warnings and errors only. */
  logger?: Logger
}

export type Behavior = {
  /** Model calls for one message. Default 10. */
  maxIterations: number
  /** How long one message may be worked on, in milliseconds; waiting for a person does not count. Default 300 000. */
  maxDuration: number
  /** The longest silence of one model call, in milliseconds. Default 30 000. */
  timeoutMs: number
  /** How long one tool call may take, in milliseconds. Default 30 000. */
  toolTimeoutMs: number
  /** Whether risky calls ask a person. Default true. */
  requireConfirmation: boolean
  /** How long a confirmation can be answered, in milliseconds. Default 900 000. */
  confirmationTtlMs: number
}

export type ChatOptions = {
  /** Goes on with that conversation; its first use begins it. Absent: a new one. */
  sessionId?: string
  /** The same id again is the same message: it is not run twice. */
  messageId?: string
  /** What was said before, for a session that begins with this message; one that is stored already knows better. */
  history?: readonly HistoryMessage[]
  /** This message answers that confirmation. */
  pendingConfirmation?: PendingConfirmation | SeedConfirmation
  /** No call of this run asks. Not kept: a run that goes on after a crash asks. */
  skipConfirmation?: boolean
  /** Instead of the agent's, for this run. Not kept over a crash. */
  systemPrompt?: string
  /** For this run's tools, as `context.context`; the model never sees it. Not kept over a crash. */
  context?: Readonly<Record<string, unknown>>
  /** Stops the run. */
  abortSignal?: AbortSignal
  /** Nothing is retrieved yet: `true` is all that can be said. */
  skipKnowledge?: true
  /** Every event of the run, in order. */
  onEvent?: (event: AgentEvent) => void
}

/** One earlier message. Others than those of users and assistants are left out. */
export type HistoryMessage = {
  id?: string
  role: 'user' | 'assistant' | 'system' | 'tool'
  content: string
  timestamp?: string | Date
  toolCalls?: readonly ToolCallRecord[]
  responseType?: string
}

/** What a caller keeps who knows nothing of ids: enough to ask for the same call again. */
export type SeedConfirmation = Pick<PendingConfirmation, 'toolName' | 'arguments' | 'userMessage'> & {
  timestamp: string | Date
}

export const SYSTEM_PROMPT = 'You are a helpful assistant. Use the tools you are given when they help.'

const DEFAULTS: Behavior = {
  maxIterations: 10,
  maxDuration: 300_000,
  timeoutMs: 30_000,
  toolTimeoutMs: 30_000,
  requireConfirmation: true,
  confirmationTtlMs: 900_000,
}

const CONFIG = ['llm', 'plugins', 'systemPrompt', 'behavior', 'dataDir', 'language', 'logger']
const CHAT = [
  ...['sessionId', 'messageId', 'history', 'pendingConfirmation', 'skipConfirmation', 'systemPrompt', 'context'],
  ...['abortSignal', 'onEvent', 'skipKnowledge'],
]
const ID = /^[A-Za-z0-9_.:-]{1,128}$/

/** Every default filled in. Throws a `TypeError` that names what is wrong. */
export function resolveConfig(config: AgentConfig) {
  demandNames('createAgent', config, CONFIG)
  const behavior = { ...DEFAULTS, ...config.behavior }
  demandNames('behavior', behavior, Object.keys(DEFAULTS))
  demandNumber('maxIterations', behavior.maxIterations, [1, 1_000])
  demandNumber('maxDuration', behavior.maxDuration, [1_000, 86_400_000])
  demandNumber('timeoutMs', behavior.timeoutMs, [10, 3_600_000])
  demandNumber('toolTimeoutMs', behavior.toolTimeoutMs, [10, 3_600_000])
  demandNumber('confirmationTtlMs', behavior.confirmationTtlMs, [100, 7 * 86_400_000])
  const { language = 'zh', systemPrompt = SYSTEM_PROMPT, plugins = [], logger = QUIET, dataDir, llm } = config
  if (language !== 'zh' && language !== 'en') throw new TypeError('language: zh or en.')
  if (typeof llm !== 'object' || llm === null) throw new TypeError('llm: is missing. Who answers?')
  return {
    ...{ language, systemPrompt, plugins, logger, dataDir, behavior },
    llm: llm instanceof LLMManager ? llm : new LLMManager(llm),
  }
}

export type ResolvedConfig = ReturnType<typeof resolveConfig>

export function demandChat(message: unknown, options: ChatOptions): void {
  if (typeof message !== 'string') throw new TypeError('chat: the message must be text.')
  demandNames('chat', options, CHAT)
  for (const name of ['sessionId', 'messageId'] as const)
    if (options[name] !== undefined && !ID.test(options[name]))
      throw new TypeError(`${name}: 1 to 128 letters, digits, _ . : and -.`)
  demandConfirmation(options.pendingConfirmation)
  if (options.history?.length) throw new NotSupportedError('history', 'conversations are not imported')
  const { skipKnowledge } = options as { skipKnowledge?: unknown }
  if (skipKnowledge !== undefined && skipKnowledge !== true) throw new NotSupportedError('skipKnowledge: false')
}

function demandConfirmation(given: ChatOptions['pendingConfirmation']): void {
  if (given === undefined) return
  const { toolName, arguments: args, userMessage, timestamp } = given
  const isWhole = typeof toolName === 'string' && typeof userMessage === 'string' && typeof args === 'object'
  if (!isWhole || Number.isNaN(new Date(timestamp).getTime()))
    throw new TypeError(
      'pendingConfirmation: must be what chat gave back, or { toolName, arguments, userMessage, timestamp }.',
    )
}

function demandNames(where: string, given: object, known: readonly string[]): void {
  for (const name of Object.keys(given))
    if (!known.includes(name))
      throw new TypeError(`${where}: there is no option ${name}. There are: ${known.join(', ')}.`)
}

function demandNumber(name: string, value: number, [least, most]: [number, number]): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return
  throw new TypeError(`behavior.${name}: a whole number from ${least} to ${most}.`)
}

/* oxlint-disable no-console -- who gives no logger still learns of trouble */
const QUIET: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message, details) => console.warn(message, details ?? ''),
  error: (message, details) => console.error(message, details ?? ''),
}
