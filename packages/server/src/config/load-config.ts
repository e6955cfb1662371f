import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { z } from 'zod'
import { optionsSchema, type ServerConfig, type ServerOptions, withDefaults } from './options.ts'

/** Something in the configuration is wrong; the message names it and says what would be right. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const FILES = ['parley.config.ts', 'parley.config.js', 'parley.config.json']

/** The environment names of options, and how their text becomes a value. */
const ENVIRONMENT: Partial<Record<keyof ServerOptions, { name: string; isNumber?: true; isList?: true }>> = {
  host: { name: 'PARLEY_HOST' },
  port: { name: 'PARLEY_PORT', isNumber: true },
  dataDir: { name: 'PARLEY_DATA_DIR' },
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
  anthropicApiKey: { name: 'ANTHROPIC_API_KEY' },
  openaiApiKey: { name: 'OPENAI_API_KEY' },
  openaiBaseUrl: { name: 'OPENAI_BASE_URL' },
  drainMs: { name: 'PARLEY_DRAIN_MS', isNumber: true },
}

/** Reads the configuration once: the file in `directory`, the environment over it, `options` over both, and defaults under all. */
export async function loadConfig(
  directory: string,
  environment: NodeJS.ProcessEnv,
  options: ServerOptions = {},
): Promise<ServerConfig> {
  const file = FILES.map((name) => join(directory, name)).find((path) => existsSync(path))
  const fromFile = file ? parse(await readOptions(file), file) : {}
  const fromEnvironment = parse(environmentOptions(environment), 'the environment')
  const config = withDefaults({ ...fromFile, ...fromEnvironment, ...options })
  return {
    ...config,
    dataDir: resolve(directory, config.dataDir),
    skillDirs: config.skillDirs.map((skills) => resolve(directory, skills)),
  }
}

async function readOptions(file: string): Promise<unknown> {
  try {
    if (file.endsWith('.json')) return JSON.parse(await readFile(file, 'utf8'))
    const module = (await import(pathToFileURL(file).href)) as { default?: unknown }
    if (module.default === undefined) throw new ConfigError('it has no default export; write `export default { … }`')
    return module.default
  } catch (error) {
    throw new ConfigError(`Cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
}

function environmentOptions(environment: NodeJS.ProcessEnv): Record<string, unknown> {
  const options: Record<string, unknown> = {}
  for (const [option, { name, isNumber, isList }] of Object.entries(ENVIRONMENT)) {
    const text = environment[name]
    if (text === undefined || text === '') continue
    if (isNumber) options[option] = Number(text)
    else options[option] = isList ? listOf(text) : text
  }
  return options
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function parse(options: unknown, source: string): Partial<ServerOptions> {
  const parsed = optionsSchema.safeParse(options)
  if (parsed.success) return parsed.data
  throw new ConfigError(
    `The configuration in ${source} is wrong:\n${parsed.error.issues.map((issue) => `  ${explain(issue)}`).join('\n')}`,
  )
}

function explain(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `${issue.keys.join(', ')}: there is no such option. Options are: ${Object.keys(optionsSchema.shape).join(', ')}.`
  const option = issue.path.join('.')
  const variable = ENVIRONMENT[issue.path[0] as keyof ServerOptions]?.name
  return `${option}${variable ? ` (${variable})` : ''}: ${issue.message}`
}
