import type { ToolDefinition } from '../llm/model-port.ts'
import { type AgentPlugin, demandPlugin, type PluginContext } from './agent-plugin.ts'
import { schemaOf } from './arguments.ts'
import { demandTool, type Tool } from './tool.ts'

/** What went wrong with a plugin; `code` says it to programs. */
export class PluginError extends Error {
  override readonly name = 'PluginError'
  readonly code:
    | 'DUPLICATE_PLUGIN'
    | 'MISSING_DEPENDENCY'
    | 'NAME_CONFLICT'
    | 'INITIALIZE_FAILED'
    | 'NOT_LOADED'
    | 'IN_USE'

  constructor(code: PluginError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

type Loaded = { plugin: AgentPlugin; tools: readonly Tool[] }

/** The plugins of an agent, and so its tools. Each is there as a whole or not at all. */
export class PluginManager {
  readonly #context: PluginContext
  readonly #loaded = new Map<string, Loaded>()
  /** One change at a time: what is checked before a plugin's own code runs holds after it. */
  #changing: Promise<unknown> = Promise.resolve()

  constructor(context: PluginContext) {
    this.#context = context
  }

  /** Rejects with a `PluginError` where it cannot be loaded, and with a `TypeError` where it is no plugin. */
  loadPlugin(plugin: AgentPlugin): Promise<void> {
    return this.#next(() => this.#load(plugin))
  }

  /** Its tools are gone when this begins; runs under way are told that there is no such tool. */
  unloadPlugin(name: string): Promise<void> {
    return this.#next(() => this.#unload(name))
  }

  listPlugins(): AgentPlugin[] {
    return [...this.#loaded.values()].map(({ plugin }) => plugin)
  }

  getPlugin(name: string): AgentPlugin | undefined {
    return this.#loaded.get(name)?.plugin
  }

  /** Under the names that models call them by, in the order of loading. */
  listTools(): Tool[] {
    return [...this.#loaded.values()].flatMap(({ tools }) => tools)
  }

  getTool(name: string): Tool | undefined {
    return this.listTools().find((tool) => tool.name === name)
  }

  /** The plugin that a tool came with. */
  pluginOf(toolName: string): AgentPlugin | undefined {
    return [...this.#loaded.values()].find(({ tools }) => tools.some(({ name }) => name === toolName))?.plugin
  }

  getToolDefinitions(): ToolDefinition[] {
    return this.listTools().map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters: schemaOf(parameters) },
    }))
  }

  /** Plugins without a check of their own are well. */
  async checkHealth(): Promise<Record<string, boolean>> {
    const isWell = async (plugin: AgentPlugin) => (await plugin.healthCheck?.()) ?? true
    const checked = this.listPlugins().map(async (plugin) => [plugin.name, await isWell(plugin).catch(() => false)])
    return Object.fromEntries(await Promise.all(checked)) as Record<string, boolean>
  }

  /** The last one first, and also those that are being loaded. Throws what the first that failed has thrown, after all are gone. */
  async unloadAll(): Promise<void> {
    const failed = await this.#next(async () => {
      const errors: unknown[] = []
      for (const { name } of this.listPlugins().reverse()) await this.#unload(name).catch((error) => errors.push(error))
      return errors
    })
    if (failed.length > 0) throw failed[0]
  }

  async #load(plugin: AgentPlugin): Promise<void> {
    demandPlugin(plugin)
    const { name, namespace, dependencies = [] } = plugin
    if (this.#loaded.has(name)) throw new PluginError('DUPLICATE_PLUGIN', `Plugin ${name} is loaded already.`)
    const missing = dependencies.filter((other) => !this.#loaded.has(other))
    if (missing.length > 0)
      throw new PluginError('MISSING_DEPENDENCY', `Plugin ${name} needs ${missing.join(', ')}. Load that first.`)
    const tools = plugin.tools.map((tool) => named(tool, namespace))
    tools.forEach(demandTool)
    this.#demandFree(name, tools)
    try {
      await plugin.initialize?.(this.#context)
      await plugin.onLoad?.(this.#context)
    } catch (error) {
      throw new PluginError('INITIALIZE_FAILED', `Plugin ${name} was not loaded: ${messageOf(error)}`, { cause: error })
    }
    this.#loaded.set(name, { plugin, tools })
  }

  async #unload(name: string): Promise<void> {
    const loaded = this.#loaded.get(name)
    if (!loaded) throw new PluginError('NOT_LOADED', `Plugin ${name} is not loaded.`)
    const needs = this.listPlugins().filter(({ dependencies = [] }) => dependencies.includes(name))
    if (needs.length > 0)
      throw new PluginError('IN_USE', `Plugin ${name} is needed by ${needs.map((other) => other.name).join(', ')}.`)
    this.#loaded.delete(name)
    try {
      await loaded.plugin.cleanup?.()
    } finally {
      await loaded.plugin.onUnload?.()
    }
  }

  #demandFree(plugin: string, tools: readonly Tool[]): void {
    const taken = new Set(this.listTools().map(({ name }) => name))
    for (const { name } of tools) {
      if (taken.has(name))
        throw new PluginError('NAME_CONFLICT', `Plugin ${plugin}: there is a tool named ${name}. A namespace helps.`)
      taken.add(name)
    }
  }

  #next<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#changing.then(change)
    this.#changing = result.catch(() => undefined)
    return result
  }
}

function named(tool: Tool, namespace: string | undefined): Tool {
  return namespace === undefined
    ? tool
    : { ...tool, name: `${namespace}_${tool.name}`, execute: (...args) => tool.execute(...args) }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
