import type { LLMConfig } from './llm/llm-manager.ts'
import { LLMManager } from './llm/llm-manager.ts'
import type { AgentPlugin } from './plugins/agent-plugin.ts'
import type { Logger } from './plugins/tool.ts'

export type AgentConfig = {
  /** Who answers: a port of yours, or a provider. */
  llm: LLMConfig | LLMManager
  /** Loaded in this order, before the first message. */
  plugins?: readonly AgentPlugin[] | undefined
  /** What the model is told first. */
  systemPrompt?: string | undefined
  behavior?: Partial<Behavior> | undefined
  /** A directory that holds the SQLite file, made if it is not there. Absent: everything is in memory. */
  dataDir?: string | undefined
  /** Of texts that the agent itself says. Default `zh`. */
  language?: 'zh' | 'en' | undefined
  /** Where trouble is told. Default the console, warnings and errors only. */
  logger?: Logger | undefined
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

/** What nobody knows is a mistake, and named. */
export function demandNames(where: string, given: object, known: readonly string[]): void {
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
