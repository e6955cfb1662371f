import { AgentError } from '@parley/protocol'
import { z } from 'zod'
import { demandScope, type Principal } from '../auth/principal.ts'
import type { Seal } from '../auth/seal.ts'
import type { Egress } from '../egress/egress.ts'
import type { StoredEndpoint, StoredModels } from '../models/stored-model.ts'
import type { Clock } from '../ports.ts'
import type { Engine } from '../store/engine.ts'
import { recordAudit } from '../store/audit.ts'
import { readStoredList } from '../store/stored-json.ts'
import {
  addConfig,
  changeConfig,
  type ConfigFilter,
  type ConfigRow,
  dropConfig,
  findConfig,
  isNameTaken,
  listConfigs,
  type NewConfig,
} from './config-rows.ts'
import type { ChangedModelConfig, NewModelConfig } from './schemas.ts'

const modelInfoSchema = z.object({ model_id: z.string(), support_vision: z.boolean(), support_thinking: z.boolean() })
export type ModelInfo = z.infer<typeof modelInfoSchema>

/** What anybody is told of it: everything but the key. */
export const modelConfigSchema = z.object({
  id: z.int(),
  name: z.string(),
  provider: z.string(),
  base_url: z.string(),
  models: z.array(modelInfoSchema),
  is_active: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type ModelConfig = z.infer<typeof modelConfigSchema>

export type ModelConfigsOptions = {
  engine: Engine
  clock: Clock
  seal: Seal
  egress: Pick<Egress, 'check'>
}

/** What became of a change. */
export type Changed = ModelConfig | 'not_found' | 'name_taken' | 'changed_meanwhile'

/** Where `qwen` is, which needs no address. */
const QWEN_URL = 'https://dashscope.aliyuncs.com/compatible-mode/v1'

/** Models that people add while the server runs. Keys are sealed, and never come back. Only the owner changes anything. */
export class ModelConfigs implements StoredModels {
  readonly #options: ModelConfigsOptions

  constructor(options: ModelConfigsOptions) {
    this.#options = options
  }

  async list(filter: ConfigFilter, page: { limit: number; offset: number }) {
    const { total, rows } = await this.#options.engine.read(() => listConfigs(filter, page))
    return { total, items: rows.map(shown) }
  }

  async find(id: number): Promise<ModelConfig | undefined> {
    const row = await this.#options.engine.read(() => findConfig(id))
    return row && shown(row)
  }

  /** `undefined`: the name is taken. */
  async create(principal: Principal, body: NewModelConfig): Promise<ModelConfig | undefined> {
    demandScope(principal, 'owner')
    const { engine, seal } = this.#options
    const config = { ...body, api_key: seal.seal(body.api_key), ...stored(body) }
    this.#demandAddress(config)
    const added = await engine.write(() => addConfig(config, this.#now(), principal.user_id))
    return added && shown(added)
  }

  async change(principal: Principal, id: number, body: ChangedModelConfig): Promise<Changed> {
    demandScope(principal, 'owner')
    for (;;) {
      const changed = await this.#change(principal, id, body)
      // Who names no time minds no other change: it is made on top of that one.
      if (changed !== 'changed_meanwhile' || body.updated_at !== undefined) return changed
    }
  }

  async remove(principal: Principal, id: number): Promise<boolean> {
    demandScope(principal, 'owner')
    return this.#options.engine.write(() => dropConfig(id, principal.user_id))
  }

  /** Somebody had a model asked, which costs money. `subject`: the model, or the host it is at. */
  async recordTest({ user_id: actor }: Principal, subject: string): Promise<void> {
    await this.#options.engine.write(() => recordAudit({ actor, action: 'model.test', subject }))
  }

  async load({ config_id, model_id }: { config_id: number; model_id: string }): Promise<StoredEndpoint | undefined> {
    const { engine, seal } = this.#options
    const row = await engine.read(() => findConfig(config_id))
    if (!row || row.is_active !== 1 || !shown(row).models.some((model) => model.model_id === model_id)) return undefined
    return { url: addressOf(row), apiKey: seal.open(row.api_key) }
  }

  async #change(principal: Principal, id: number, body: ChangedModelConfig): Promise<Changed> {
    const { engine, seal } = this.#options
    const before = await engine.read(() => findConfig(id))
    if (!before) return 'not_found'
    const { updated_at, ...fields } = body
    if (updated_at !== undefined && updated_at !== before.updated_at) return 'changed_meanwhile'
    const api_key = fields.api_key ? seal.seal(fields.api_key) : before.api_key
    const whole = { ...shown(before), ...(fields as Partial<ModelConfig>) }
    const changed: NewConfig = { ...whole, api_key, ...stored(whole) }
    this.#demandAddress(changed)
    if (await engine.read(() => isNameTaken(changed.name, id))) return 'name_taken'
    const next = { ...changed, updated_at: this.#after(before.updated_at) }
    try {
      const row = await engine.write(() => changeConfig(before, next, principal.user_id))
      return row ? shown(row) : 'changed_meanwhile'
    } catch (error) {
      // Somebody may have taken the name since.
      if (await engine.read(() => isNameTaken(changed.name, id))) return 'name_taken'
      throw error
    }
  }

  /** What the address alone tells; where its name leads is checked when it is asked. */
  #demandAddress({ provider, base_url }: Pick<ConfigRow, 'provider' | 'base_url'>): void {
    if (provider !== 'qwen' && base_url === '')
      throw new AgentError('invalid_payload', 'base_url: must be an http:// or https:// address')
    try {
      this.#options.egress.check(addressOf({ provider, base_url }), 'chosen')
    } catch (error) {
      throw new AgentError('invalid_payload', `base_url: ${(error as Error).message}`, { cause: error })
    }
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString()
  }

  /** Later than the last time, so that no two states of a row look the same to whoever compares. */
  #after(last: string): string {
    return new Date(Math.max(this.#options.clock.now(), (Date.parse(last) || 0) + 1)).toISOString()
  }
}

function addressOf({ provider, base_url }: Pick<ConfigRow, 'provider' | 'base_url'>): string {
  return provider === 'qwen' && base_url === '' ? QWEN_URL : base_url
}

function stored({ models, is_active }: Pick<ModelConfig, 'models' | 'is_active'>) {
  return { models: JSON.stringify(models), is_active: is_active ? 1 : 0 }
}

function shown({ api_key: _secret, ...row }: ConfigRow): ModelConfig {
  return { ...row, models: (readStoredList(row.models) ?? []) as ModelInfo[], is_active: row.is_active === 1 }
}
