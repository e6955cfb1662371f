import type { Logger, Tool } from './tool.ts'

/** Tools that come and go together. */
export type AgentPlugin = {
  name: string
  version: string
  description: string
  /** Its tools are called `<namespace>_<tool>`. */
  namespace?: string
  /** Names of plugins that must be loaded before it. */
  dependencies?: readonly string[]
  tools: readonly Tool[]
  /** Before its tools can be called. A throw loads nothing. */
  initialize?: (context: PluginContext) => void | Promise<void>
  onLoad?: (context: PluginContext) => void | Promise<void>
  /** After its tools are gone. */
  cleanup?: () => void | Promise<void>
  onUnload?: () => void | Promise<void>
  healthCheck?: () => boolean | Promise<boolean>
}

export type PluginContext = { logger: Logger }

const PREFIX = /^[A-Za-z][A-Za-z0-9_-]*$/

export function demandPlugin({ name, version, namespace, tools }: AgentPlugin): void {
  if (typeof name !== 'string' || name === '') throw new TypeError('A plugin must have a name.')
  const wrong = (what: string) => new TypeError(`Plugin ${name}: ${what}`)
  if (typeof version !== 'string' || version === '') throw wrong('version: must not be empty.')
  if (namespace !== undefined && !PREFIX.test(namespace))
    throw wrong('namespace: a letter, then letters, digits, _ and -.')
  if (!Array.isArray(tools)) throw wrong('tools: must be a list.')
}
