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
export type ListedHttpTool =
  | (HttpTool & { source: 'configuration' | 'rest'; status: 'ready' })
  /** It was sealed with another key than `PARLEY_SECRET` gives now; make it again. */
  | { name: string; source: 'rest'; status: 'unreadable' }

type Known = { row: string; definition: ToolDefinition | undefined }

/** The tools in backends: those of the configuration, which win, and those that the owner made over REST, as they are now. */
export class HttpTools {
  readonly #options: HttpToolsOptions
  /** Those made over REST, as this instance last read them. A tool that did not change stays the same value. */
  #known = new Map<string, Known>()
  /** How often was looked, and which of these looks is known. */
  #looks = 0
  #look = 0

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
    const look = ++this.#looks
    const rows = await engine.read(listTools)
    // Whoever looked later has seen all that this look has.
    if (look < this.#look) return
    this.#look = look
    for (const row of rows) {
      if (this.isConfigured(row.name)) continue
      const text = JSON.stringify(row)
      const before = this.#known.get(row.name)
      if (before?.row === text) {
        known.set(row.name, before)
        continue
      }
      const tool = this.#open(row)
      if (!tool) onWarning(`The HTTP tool ${row.name} is left out: what is stored of it cannot be read. Make it again.`)
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
    const stored = rows.filter(({ name }) => !this.isConfigured(name)).map((row) => this.shown(row))
    return [...configured.map((tool) => shown(tool, 'configuration')), ...stored].sort(byName)
  }

  shown(row: ToolRow): ListedHttpTool {
    const tool = this.#open(row)
    return tool ? shown(tool, 'rest') : { name: row.name, source: 'rest', status: 'unreadable' }
  }

  /** Addresses that somebody chose over REST are under the ordinary policy. */
  #open({ name, definition, secret }: ToolRow): KeyedTool | undefined {
    const { seal } = this.#options
    try {
      // Rows of older servers are no more than JSON, which no sealed text begins like.
      const tool = readStored(definition.startsWith('{') ? definition : seal.open(definition)) as HttpTool | undefined
      return tool?.name === name ? { ...tool, secret: seal.open(secret), trust: 'chosen' } : undefined
    } catch {
      return undefined
    }
  }
}

function shown(tool: KeyedTool, source: 'configuration' | 'rest'): ListedHttpTool {
  const { secret: _secret, trust: _trust, ...rest } = tool
  return { ...rest, source, status: 'ready' }
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1
}
