import type {
  EmbedOrigin,
  Health,
  InstanceList,
  ModelsConfig,
  ModelTest,
  ServerConfig,
  TestModel,
  Version,
} from '@parley/protocol/rest'
import type { Rest } from '../rest/rest.ts'

export type ModelsApi = {
  getModelsConfig(): Promise<ModelsConfig>
  /** For the owner. With a model it is asked for a few tokens, which costs what they cost. */
  test(target: TestModel): Promise<ModelTest>
}

export type ServerApi = {
  /** What it is, and what it can do. */
  version(): Promise<Version>
  health(): Promise<Health>
  config(): Promise<ServerConfig>
  /** For the owner: the servers that share the database. */
  instances(): Promise<InstanceList>
  /** For the owner: whether pages of an origin are let in, and when the first one came since this server started. */
  embedOrigin(origin: string): Promise<EmbedOrigin>
}

export function createModelsApi(rest: Rest): ModelsApi {
  return {
    getModelsConfig: () => rest.get('/api/config/models'),
    test: (target) => rest.post('/api/config/models/test', target),
  }
}

export function createServerApi(rest: Rest): ServerApi {
  return {
    version: () => rest.get('/api/version'),
    health: () => rest.get('/api/health'),
    config: () => rest.get('/api/config'),
    instances: () => rest.get('/api/instances'),
    embedOrigin: (origin) => rest.get('/api/embed/origin', { query: { origin } }),
  }
}
