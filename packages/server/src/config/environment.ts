import type { ServerOptions } from './options.ts'

export type Variable = { name: string; isNumber?: true; isList?: true; isFlag?: true }

/** The environment names of options, and how their text becomes a value. */
export const ENVIRONMENT = {
  host: { name: 'PARLEY_HOST' },
  port: { name: 'PARLEY_PORT', isNumber: true },
  dataDir: { name: 'PARLEY_DATA_DIR' },
  agentsDir: { name: 'PARLEY_AGENTS_DIR' },
  solutionsDir: { name: 'PARLEY_SOLUTIONS_DIR' },
  databaseUrl: { name: 'PARLEY_DATABASE_URL' },
  leaseMs: { name: 'PARLEY_LEASE_MS', isNumber: true },
  logLevel: { name: 'PARLEY_LOG_LEVEL' },
  ownerKey: { name: 'PARLEY_OWNER_KEY' },
  secret: { name: 'PARLEY_SECRET' },
  publicUrl: { name: 'PARLEY_PUBLIC_URL' },
  allowedOrigins: { name: 'PARLEY_ALLOWED_ORIGINS', isList: true },
  language: { name: 'PARLEY_LANGUAGE' },
  maxSockets: { name: 'PARLEY_MAX_SOCKETS', isNumber: true },
  modelUrl: { name: 'PARLEY_MODEL_URL' },
  model: { name: 'PARLEY_MODEL' },
  modelKey: { name: 'PARLEY_MODEL_KEY' },
  embeddingsUrl: { name: 'PARLEY_EMBEDDINGS_URL' },
  embeddingsModel: { name: 'PARLEY_EMBEDDINGS_MODEL' },
  embeddingsKey: { name: 'PARLEY_EMBEDDINGS_KEY' },
  anthropicApiKey: { name: 'ANTHROPIC_API_KEY' },
  openaiApiKey: { name: 'OPENAI_API_KEY' },
  openaiBaseUrl: { name: 'OPENAI_BASE_URL' },
  suggestions: { name: 'PARLEY_SUGGESTIONS', isFlag: true },
  titleModel: { name: 'PARLEY_TITLE_MODEL' },
  publicSharing: { name: 'PARLEY_PUBLIC_SHARING', isFlag: true },
  drainMs: { name: 'PARLEY_DRAIN_MS', isNumber: true },
  compactAt: { name: 'PARLEY_COMPACT_AT', isNumber: true },
} satisfies Partial<Record<keyof ServerOptions, Variable>>
