import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { z } from 'zod'
import { digestOf, type FileDigests, noteDigests } from '../tools/own/file-digests.ts'
import { placeOfError } from '../tools/own/place-of-error.ts'
import { resolveImports } from '../tools/own/resolve-imports.ts'
import { languageOfLocale } from '../words/language.ts'
import { nearestName } from '../words/nearest-name.ts'
import { configFileIn, unreadFiles } from './config-files.ts'
import { ENVIRONMENT, type Variable } from './environment.ts'
import { type GivenOptions, optionsSchema, type ServerConfig, type ServerOptions, withDefaults } from './options.ts'
import { jsonErrorPlace } from './json-error-place.ts'
import { unknownVariables } from './unknown-variables.ts'

/** Something in the configuration is wrong; the message names it and says what would be right. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Names a configuration file that lies elsewhere. */
const FILE_VARIABLE = 'PARLEY_CONFIG'

/**
 * Reads the configuration once: the file in `directory`, or the one that `PARLEY_CONFIG` names, the environment over it,
 * `options` over both, and defaults under all. Paths are seen from `directory`, wherever the file is.
 */
export async function loadConfig(
  directory: string,
  environment: NodeJS.ProcessEnv,
  options: GivenOptions = {},
): Promise<ServerConfig> {
  const file = findFile(directory, environment[FILE_VARIABLE])
  const digests: FileDigests = {}
  const fromFile = file ? parse(await readOptions(file, digests), file) : {}
  const fromEnvironment = parse(environmentOptions(environment), 'the environment')
  const fromProgram = parse(options, 'the options given to the server')
  const spoken = languageOfLocale(environment)
  const config = withDefaults({ ...(spoken && { language: spoken }), ...fromFile, ...fromEnvironment, ...fromProgram })
  return {
    ...config,
    ...(file && { file }),
    ...(file && fromFile.tools && !options.tools && { toolsFile: { path: file, digests } }),
    dataDir: resolve(directory, config.dataDir),
    skillDirs: config.skillDirs.map((skills) => resolve(directory, skills)),
    agentsDir: resolve(directory, config.agentsDir ?? 'agents'),
    mayLackAgents: config.agentsDir === undefined,
    solutionsDir: resolve(directory, config.solutionsDir ?? 'solutions'),
    mayLackSolutions: config.solutionsDir === undefined,
  }
}

/** What is said and cannot be meant, a sentence each; none of it keeps the server from working. */
export function configWarnings(directory: string, environment: NodeJS.ProcessEnv, config: ServerConfig): string[] {
  const variables = [...Object.values(ENVIRONMENT).map(({ name }) => name), FILE_VARIABLE]
  const unread = environment[FILE_VARIABLE] ? [] : unreadFiles(directory, FILE_VARIABLE)
  return [...unknownVariables(environment, variables), ...unread, ...uselessOptions(config)]
}

function uselessOptions(config: ServerConfig): string[] {
  const { modelUrl, modelKey, anthropicApiKey, openaiApiKey, openaiBaseUrl } = config
  const warnings = []
  if ((config.embeddingsModel ?? config.embeddingsKey) && !config.embeddingsUrl)
    warnings.push(
      'PARLEY_EMBEDDINGS_MODEL or PARLEY_EMBEDDINGS_KEY is set, but not for whom: PARLEY_EMBEDDINGS_URL is missing.',
    )
  if (modelKey && !modelUrl && !anthropicApiKey && !openaiApiKey)
    warnings.push('PARLEY_MODEL_KEY is set, but not for whom: PARLEY_MODEL_URL is missing.')
  if (openaiBaseUrl && !openaiApiKey)
    warnings.push(
      'OPENAI_BASE_URL is set without OPENAI_API_KEY, and not used. A server that needs no key goes into PARLEY_MODEL_URL.',
    )
  return warnings
}

function findFile(directory: string, named: string | undefined): string | undefined {
  if (!named) return configFileIn(directory)
  const file = resolve(directory, named)
  if (!existsSync(file)) throw new ConfigError(`${FILE_VARIABLE} names ${file}, and there is no such file.`)
  if (['.ts', '.mts', '.js', '.mjs', '.json'].includes(extname(file))) return file
  throw new ConfigError(`${FILE_VARIABLE} names ${file}; a configuration file ends in .ts, .js or .json.`)
}

async function readOptions(file: string, digests: FileDigests): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new ConfigError(`Cannot read ${file}: ${error.message}`, { cause: error })
  })
  try {
    if (file.endsWith('.json')) return JSON.parse(text)
    digests[file] = digestOf(text)
    const { default: options } = (await importWithOurs(file, digests)) as { default?: unknown }
    if (options !== undefined) return options
  } catch (error) {
    throw new ConfigError(`The configuration is wrong:\n  ${placed(error as Error, file, text)}`, { cause: error })
  }
  throw new ConfigError(`The configuration is wrong:\n  ${file}: has no default export; write \`export default { … }\``)
}

/** `parley.config.ts:7:31: …`, in it or in what it imports. */
function placed(error: Error, file: string, text: string): string {
  const isJson = file.endsWith('.json')
  const problem = isJson ? { file, ...jsonErrorPlace(text, error), message: error.message } : placeOfError(error, file)
  const place = [problem.file, problem.line, problem.column].filter((part) => part !== undefined)
  return `${place.join(':')}: ${problem.message}`
}

/** What defines a tool is found even where it was never installed: beside a clone, or a command line that is. */
async function importWithOurs(file: string, digests: FileDigests): Promise<unknown> {
  const hooks = registerHooks({ resolve: resolveImports(), load: noteDigests(digests) })
  try {
    return await import(pathToFileURL(file).href)
  } finally {
    hooks.deregister()
  }
}

function environmentOptions(environment: NodeJS.ProcessEnv): Record<string, unknown> {
  const options: Record<string, unknown> = {}
  for (const [option, { name, isNumber, isList, isFlag }] of Object.entries<Variable>(ENVIRONMENT)) {
    const text = environment[name]
    if (text === undefined || text === '') continue
    if (isNumber) options[option] = Number.isNaN(Number(text)) ? text : Number(text)
    else if (isFlag) options[option] = FLAGS[text.toLowerCase()] ?? text
    else options[option] = isList ? listOf(text) : text
  }
  return options
}

const FLAGS: Record<string, boolean> = { true: true, 1: true, false: false, 0: false }

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
    `The configuration in ${source} is wrong:\n${parsed.error.issues.map((issue) => `  ${explain(issue, options)}`).join('\n')}`,
  )
}

function explain(issue: z.core.$ZodIssue, options: unknown): string {
  const option = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => noSuchOption(option, key)).join('\n  ')
  const variable = (ENVIRONMENT as Record<string, Variable>)[String(issue.path[0])]?.name
  const given = (options as Partial<Record<PropertyKey, unknown>> | null)?.[issue.path[0]!]
  const isNoNumber = issue.code === 'invalid_type' && issue.path.length === 1 && typeof given === 'string'
  const problem =
    isNoNumber && NUMBERS.has(issue.expected) ? `must be a number, not ${JSON.stringify(given)}` : issue.message
  return `${option}${variable ? ` (${variable})` : ''}: ${problem}`
}

const NUMBERS: ReadonlySet<string> = new Set(['number', 'int'])

/** `parent`: the option that holds it; empty for the outermost. */
function noSuchOption(parent: string, key: string): string {
  if (parent !== '') return `${parent}.${key}: there is no such option.`
  const known = Object.keys(optionsSchema.shape)
  const meant = nearestName(key, known)
  return `${key}: there is no such option. ${meant ? `Did you mean ${meant}?` : `Options are: ${known.join(', ')}.`}`
}
