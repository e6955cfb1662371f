import { type AgentConfig, resolveConfig, type ResolvedConfig } from './agent-config.ts'
import { type ChatOptions, demandChat } from './chat-options.ts'
import { AgenticLoop } from './agentic-loop.ts'
import type { Document } from './knowledge/documents.ts'
import { KnowledgeStore } from './knowledge/knowledge-store.ts'
import type { LLMManager } from './llm/llm-manager.ts'
import type { AgentPlugin } from './plugins/agent-plugin.ts'
import { PluginManager } from './plugins/plugin-manager.ts'
import { ResponseHandler } from './response-handler.ts'
import type { AgentResponse } from './responses.ts'

/** Throws a `TypeError` that names what is wrong with the configuration. Opens nothing before the first message. */
export function createAgent(config: AgentConfig): Agent {
  return new Agent(config)
}

/** An agent in this process: its conversations, the tools of its plugins, and a person's consent to what they do. */
export class Agent implements AsyncDisposable {
  readonly llmManager: LLMManager
  readonly pluginManager: PluginManager
  readonly knowledgeStore: KnowledgeStore
  readonly #config: ResolvedConfig
  readonly #loop: AgenticLoop
  readonly #responses = new ResponseHandler()
  /** The plugins of the configuration. */
  readonly #equipped: Promise<void>
  #closed: Promise<void> | undefined

  constructor(config: AgentConfig) {
    this.#config = resolveConfig(config)
    this.llmManager = this.#config.llm
    this.pluginManager = new PluginManager({ logger: this.#config.logger })
    this.#loop = new AgenticLoop(this.#config, this.pluginManager)
    this.knowledgeStore = new KnowledgeStore({ documents: () => this.#documents() })
    this.#equipped = this.#equip()
    // Whoever chats is told.
    this.#equipped.catch(() => undefined)
  }

  /**
   * Has a message answered. Rejects for what a program does wrong (a `TypeError`, a plugin that cannot be loaded); whatever
   * happens to the run is its answer.
   */
  async chat(message: string, options: ChatOptions = {}): Promise<AgentResponse> {
    demandChat(message, options)
    await this.open()
    return this.#responses.toResponse(await this.#loop.run(message, options))
  }

  /** Loads the plugins of the configuration. The database opens with the first message, which also takes up what a crash left. */
  async open(): Promise<void> {
    this.#demandOpen()
    await this.#equipped
  }

  async loadPlugin(plugin: AgentPlugin): Promise<void> {
    this.#demandOpen()
    return this.pluginManager.loadPlugin(plugin)
  }

  unloadPlugin(name: string): Promise<void> {
    return this.pluginManager.unloadPlugin(name)
  }

  listPlugins(): AgentPlugin[] {
    return this.pluginManager.listPlugins()
  }

  getPlugin(name: string): AgentPlugin | undefined {
    return this.pluginManager.getPlugin(name)
  }

  /** A document that messages are answered from, from now on. */
  addKnowledge(content: string, category: string, title?: string): Promise<Document> {
    return this.knowledgeStore.addDocument({ content, category, title })
  }

  /**
   * Lets what is under way end for a moment, hands the rest back to be taken up later, and unloads the plugins. One that
   * cannot be cleaned up keeps nothing open; its error is thrown at the end.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #close(): Promise<void> {
    await this.#loop[Symbol.asyncDispose]()
    try {
      await this.pluginManager.unloadAll()
    } finally {
      await this.llmManager[Symbol.asyncDispose]()
    }
  }

  async #equip(): Promise<void> {
    for (const plugin of this.#config.plugins) {
      if (this.#closed) return
      await this.pluginManager.loadPlugin(plugin)
    }
  }

  /** With everything that a run of an earlier process may need: whoever opens the database takes those up. */
  async #documents(): ReturnType<AgenticLoop['documents']> {
    await this.open()
    return this.#loop.documents()
  }

  #demandOpen(): void {
    if (this.#closed) throw new TypeError('This agent is closed.')
  }
}
