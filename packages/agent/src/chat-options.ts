import type { AgentEvent, PendingConfirmation } from '@parley/protocol/agent-sse'
import { demandNames } from './agent-config.ts'
import type { ToolCallRecord } from './responses.ts'

export type ChatOptions = {
  /** Goes on with that conversation; its first use begins it. Absent: a new one. */
  sessionId?: string | undefined
  /** The same id again is the same message: it is not run twice. */
  messageId?: string | undefined
  /** What was said before, for a session that begins with this message; one that is stored already knows better. */
  history?: readonly HistoryMessage[] | undefined
  /** This message answers that confirmation. */
  pendingConfirmation?: PendingConfirmation | SeedConfirmation | undefined
  /** No call of this run asks. Not kept: a run that goes on after a crash asks. */
  skipConfirmation?: boolean | undefined
  /** Instead of the agent's, for this run. Not kept over a crash. */
  systemPrompt?: string | undefined
  /** For this run's tools, as `context.context`; the model never sees it. Not kept over a crash. */
  context?: Readonly<Record<string, unknown>> | undefined
  /** Stops the run. */
  abortSignal?: AbortSignal | undefined
  /** Nothing is looked up for this message. */
  skipKnowledge?: boolean | undefined
  /** Every event of the run, in order. */
  onEvent?: ((event: AgentEvent) => void) | undefined
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

const CHAT = [
  ...['sessionId', 'messageId', 'history', 'pendingConfirmation', 'skipConfirmation', 'systemPrompt', 'context'],
  ...['abortSignal', 'onEvent', 'skipKnowledge'],
]
const ID = /^[A-Za-z0-9_.:-]{1,128}$/

export function demandChat(message: unknown, options: ChatOptions): void {
  if (typeof message !== 'string') throw new TypeError('chat: the message must be text.')
  demandNames('chat', options, CHAT)
  for (const name of ['sessionId', 'messageId'] as const)
    if (options[name] !== undefined && !ID.test(options[name]))
      throw new TypeError(`${name}: 1 to 128 letters, digits, _ . : and -.`)
  demandConfirmation(options.pendingConfirmation)
  demandHistory(options.history)
  const { skipKnowledge } = options as { skipKnowledge?: unknown }
  if (skipKnowledge !== undefined && typeof skipKnowledge !== 'boolean')
    throw new TypeError('skipKnowledge: true or false.')
}

function demandHistory(history: unknown): void {
  if (history === undefined) return
  if (!Array.isArray(history)) throw new TypeError('history: must be a list.')
  for (const [at, said] of history.entries()) {
    if (typeof said !== 'object' || said === null) throw new TypeError(`history[${at}]: must be a message.`)
    const { timestamp } = said as { timestamp?: unknown }
    const isTime = timestamp instanceof Date ? !Number.isNaN(timestamp.getTime()) : typeof timestamp === 'string'
    if (timestamp !== undefined && !isTime) throw new TypeError(`history[${at}].timestamp: must be a Date, or text.`)
  }
}

function demandConfirmation(given: ChatOptions['pendingConfirmation']): void {
  if (given === undefined) return
  const { toolName, arguments: args, userMessage, timestamp } = (given ?? {}) as Partial<SeedConfirmation>
  const isWhole = typeof toolName === 'string' && typeof userMessage === 'string' && typeof args === 'object' && args
  if (!isWhole || Number.isNaN(new Date(timestamp ?? NaN).getTime()))
    throw new TypeError(
      'pendingConfirmation: must be what chat gave back, or { toolName, arguments, userMessage, timestamp }.',
    )
}
