import type { Seal } from '../../auth/seal.ts'
import type { Engine } from '../../store/engine.ts'
import { readStored } from '../../store/stored-json.ts'
import type { ToolDefinition } from '../define-tool.ts'
import type { HttpTool, KeyedTool } from './config.ts'
import { findTool, listTools, type ToolRow } from './tool-rows.ts'

export type HttpToolsOptions = {
  engine: Engine
  seal: Seal
  configured: readonly KeyedTool[]
  define: (tool: KeyedTool) => ToolDefinition
  onWarning: (message: string) => void
}

/** A tool as `GET /api/http-tools` shows it; nobody is ever shown its secret. */
export type ListedHttpTool = HttpTool & {
  source: 'configuration' | 'rest'
  /** `unreadable`: its secret was sealed with another key than `PARLEY_SECRET` gives now; set it again. */
  status: 'ready' | 'unreadable'
}

type Known = { row: string; definition: ToolDefinition | undefined }

/** The tools in backends: those of the configuration, which win, and those that the owner made over REST, as they are now. */
export class HttpTools {
  readonly #options: HttpToolsOptions
  /** Those made over REST, as this instance last read them. A tool that did not change stays the same value. */
  #known = new Map<string, Known>()

  constructor(options: HttpToolsOptions) {
    this.#options = options
  }

  /** Of those made over REST, what models are offered. */
  get stored(): ToolDefinition[] {
    return [...this.#known.values()].flatMap(({ definition }) => definition ?? [])
  }

  isConfigured(name: string): boolean {
    return this.#options.configured.some((tool) => tool.name === name)
  }

  has(name: string): boolean {
    return this.isConfigured(name) || this.#known.has(name)
  }

  /** Looks what other instances have made, changed or deleted. */
  async refresh(): Promise<void> {
    const { engine, define, onWarning } = this.#options
    const known = new Map<string, Known>()
    for (const row of await engine.read(listTools)) {
      if (this.isConfigured(row.name)) continue
      const text = JSON.stringify(row)
      const before = this.#known.get(row.name)
      if (before?.row === text) {
        known.set(row.name, before)
        continue
      }
      const tool = this.#open(row)
      if (!tool) onWarning(`The HTTP tool ${row.name} is left out: its stored secret cannot be read. Set it again.`)
      known.set(row.name, { row: text, definition: tool && define(tool) })
    }
    this.#known = known
  }

  /** With its secret, as it is right now on any instance. */
  async find(name: string): Promise<KeyedTool | undefined> {
    const { engine, configured } = this.#options
    const here = configured.find((tool) => tool.name === name)
    if (here) return here
    const row = await engine.read(() => findTool(name))
    return row && this.#open(row)
  }

  async listed(): Promise<ListedHttpTool[]> {
    const { engine, configured } = this.#options
    const rows = await engine.read(listTools)
    const stored = rows.filter(({ name }) => !this.isConfigured(name)).flatMap((row) => this.shown(row) ?? [])
    return [...configured.map((tool) => shown(tool, 'configuration', 'ready')), ...stored].sort(byName)
  }

  shown(row: ToolRow): ListedHttpTool | undefined {
    const tool = readStored(row.definition) as HttpTool | undefined
    return tool && shown(tool, 'rest', this.#open(row) ? 'ready' : 'unreadable')
  }

  /** Addresses that somebody chose over REST are under the ordinary policy. */
  #open({ definition, secret }: ToolRow): KeyedTool | undefined {
    const tool = readStored(definition) as HttpTool | undefined
    try {
      return tool && { ...tool, secret: this.#options.seal.open(secret), trust: 'chosen' }
    } catch {
      return undefined
    }
  }
}

function shown(tool: HttpTool, source: ListedHttpTool['source'], status: ListedHttpTool['status']): ListedHttpTool {
  const { secret: _secret, trust: _trust, ...rest } = tool as KeyedTool
  return { ...rest, source, status }
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1
}
