import { randomBytes, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Seal } from './auth/seal.ts'
import { ConfigError } from './config/load-config.ts'
import type { ServerConfig } from './config/options.ts'
import { createModels, type Models } from './models/registry.ts'
import type { Clock, Ids } from './ports.ts'
import { startJanitor } from './sessions/janitor.ts'
import type { PointHook } from './sessions/points.ts'
import { Runs } from './sessions/runs.ts'
import type { Sessions } from './sessions/service.ts'
import { createSessions } from './sessions/session-service.ts'
import type { Engine } from './store/engine.ts'
import type { Journal } from './store/journal.ts'
import { systemPrompt } from './system-prompt.ts'
import type { Notify, ToolDefinition } from './tools/define-tool.ts'
import { BUILTIN_TOOLS, toolsFor } from './tools/registry.ts'
import { makeWorkspace } from './tools/workspace.ts'

/** What a program that embeds the server may add; the shipped one adds nothing. */
export type Extensions = {
  tools?: readonly ToolDefinition[]
  /** Called around every commit point of a run. */
  at?: PointHook
}

export type OpenSessions = { sessions: Sessions; models: Models }

/** Builds everything that runs conversations. What is left on `parts` is ended in reverse order: runs before models. */
export function openSessions(
  {
    config,
    engine,
    journal,
    seal,
    logger,
    extensions,
  }: { config: ServerConfig; engine: Engine; journal: Journal; seal: Seal; logger: Logger; extensions: Extensions },
  parts: AsyncDisposableStack,
): OpenSessions {
  const models = openModels(config)
  parts.defer(() => models.close())
  const byId = new Map(models.models.map((entry) => [entry.id, entry]))
  const definitions = [...BUILTIN_TOOLS, ...(extensions.tools ?? [])]
  const instance = `${hostname()}:${process.pid}:${randomUUID()}`
  const monotonicNow = () => performance.now()
  const workspaceOf = (session_id: string) => join(config.dataDir, 'workspaces', session_id)
  const workspace = (session_id: string) => makeWorkspace(workspaceOf(session_id))
  const { leaseMs, language, maxTurns, drainMs } = config
  const { at } = extensions
  const variables = (sealed: string | null) =>
    sealed === null ? {} : (JSON.parse(seal.open(sealed)) as Record<string, string>)

  const runs = new Runs({
    engine,
    clock,
    ids,
    monotonicNow,
    instance,
    leaseMs,
    language,
    maxTurns,
    drainMs,
    model: (id) => byId.get(id),
    tools: ({ session, run, options }, notify) =>
      toolsFor(definitions, {
        session_id: session.id,
        workspace: () => workspace(session.id),
        env: { ...variables(session.env), ...variables(run.secrets) },
        notify: notify as Notify,
        language,
        disabled: session.disable_tools === null ? [] : (JSON.parse(session.disable_tools) as string[]),
        isPlanning: options.mode === 'planning',
      }),
    system: (run) => systemPrompt(config.systemPrompt, run.options),
    onError: (error, { session_id, run_id }) =>
      logger.error({ err: error, session_id, run_id }, 'a run left this instance'),
    ...(at && { at }),
  })
  parts.use(runs)
  parts.use(startJanitor(engine, (error) => logger.warn({ err: error }, 'the journal could not be pruned')))
  engine.onNudge((session_id) => runs.nudgedFromOutside(session_id))
  runs.start()

  const sessions = createSessions({
    engine,
    clock,
    ids,
    journal,
    runs,
    monotonicNow,
    owner: instance,
    leaseMs,
    contextWindow: (model) => byId.get(model)?.contextWindow ?? 0,
    seal: (text) => seal.seal(text),
    defaultModel: models.default,
    hasModel: (id) => byId.has(id),
    workspace,
    deleteWorkspace: (session_id) => rm(workspaceOf(session_id), { recursive: true, force: true }),
    ...(at && { at }),
  })
  return { sessions, models }
}

const clock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
}

const ids: Ids = {
  next: (prefix) =>
    prefix === 'agent' ? `agent:${randomBytes(4).toString('hex')}` : `${prefix}_${randomBytes(12).toString('hex')}`,
}

function openModels(config: ServerConfig): Models {
  const newCallId = () => ids.next('call')
  const sleep: Clock['sleep'] = (ms, signal) => clock.sleep(ms, signal)
  try {
    return createModels({ ...modelOptions(config), sleep, random: Math.random, newCallId })
  } catch (error) {
    // Nothing was contacted yet: what is wrong is what the configuration says.
    throw new ConfigError(`The models cannot be set up: ${(error as Error).message}`, { cause: error })
  }
}

function modelOptions({
  modelUrl,
  model,
  modelKey,
  anthropicApiKey,
  openaiApiKey,
  openaiBaseUrl,
  models,
  fallbackModel,
}: ServerConfig) {
  const said = { modelUrl, model, modelKey, anthropicApiKey, openaiApiKey, openaiBaseUrl, models, fallbackModel }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) as Partial<
    Parameters<typeof createModels>[0]
  >
}
