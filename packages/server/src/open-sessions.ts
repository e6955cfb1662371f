import { randomBytes, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Mode } from '@parley/protocol'
import type { Logger } from 'pino'
import type { Seal } from './auth/seal.ts'
import { ConfigError } from './config/load-config.ts'
import type { ServerConfig } from './config/options.ts'
import { checkEdit } from './confirm/check-edit.ts'
import { hostOf, hostsInText } from './confirm/hosts-in-text.ts'
import { createPolicy } from './confirm/policy.ts'
import { LOOP_TOOLS } from './core/offer.ts'
import { parseAddress } from './egress/address.ts'
import { createEgress, type Egress } from './egress/egress.ts'
import { hostList, nameOf } from './egress/host-list.ts'
import type { Resolve } from './egress/lookup.ts'
import { DEMO_MODEL_ID } from './models/demo/model.ts'
import { logModelFailure } from './log-model-failure.ts'
import { createModels, type Models } from './models/registry.ts'
import type { ListChange } from './models/watch-models.ts'
import { type Features, openFeatures } from './features.ts'
import type { Clock, Ids } from './ports.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import { startExpiry } from './runs/expire-confirmations.ts'
import { startJanitor } from './sessions/janitor.ts'
import { openCalls } from './runs/restore/load-run.ts'
import type { PointHook } from './runs/points.ts'
import { Runs } from './runs/runs.ts'
import type { Sessions } from './sessions/service.ts'
import { disabledTools } from './sessions/session-record.ts'
import { createSessions } from './sessions/session-service.ts'
import type { Engine } from './store/engine.ts'
import { InstanceWatch, startInstance } from './store/instances.ts'
import type { Journal } from './store/journal.ts'
import { isOwner } from './auth/users.ts'
import type { World } from './feature.ts'
import { Workspaces } from './workspace/workspaces.ts'
import { systemPrompt } from './context/system-prompt.ts'
import type { ToolDefinition } from './tools/define-tool.ts'
import { type SessionTools, toolsFor } from './tools/registry.ts'

/** What a program that embeds the server may add; the shipped one adds nothing. */
export type Extensions = {
  tools?: readonly ToolDefinition[]
  /** Where names lead. Default: where the operating system says. */
  resolve?: Resolve
  /** Called around every commit point of a run. */
  at?: PointHook
}

export type OpenSessions = { sessions: Sessions; models: Models; features: Features }

type OpenSessionsOptions = {
  config: ServerConfig
  engine: Engine
  journal: Journal
  seal: Seal
  sandbox: Promise<Sandbox>
  logger: Logger
  extensions: Extensions
  version: string
  /** Hears what servers of models say they have, from the first moment on. */
  onModels: (change: ListChange) => void
}

/** Builds everything that runs conversations. What is left on `parts` is ended in reverse order: runs before models. */
export async function openSessions(
  { config, engine, journal, seal, sandbox, logger, extensions, version, onModels }: OpenSessionsOptions,
  parts: AsyncDisposableStack,
): Promise<OpenSessions> {
  const { resolve } = extensions
  const egress = parts.use(createEgress({ ...config.egress, ...(resolve && { resolve }) }))
  const models = openModels(config, egress, logger)
  parts.defer(() => models.close())
  models.watch(onModels)
  const instance = `${hostname()}:${process.pid}:${randomUUID()}`
  const monotonicNow = () => clock.elapsed()
  const { leaseMs, language, maxTurns, drainMs } = config
  const { at } = extensions
  const extra = extensions.tools ?? []
  const isDemo = models.default === DEMO_MODEL_ID
  const onUnseen = (error: unknown) => logger.warn({ err: error }, 'other instances could not be looked at')
  const instances = parts.use(new InstanceWatch({ engine, leaseMs, monotonicNow, onError: onUnseen }))
  const gone = () => instances.gone
  const workspaces = new Workspaces(config.dataDir)
  const world: World = {
    ...{ config, engine, journal, egress, logger, clock, ids, instance, instances, version, workspaces },
    modelOf: (id) => (models.find(id ?? models.default) ?? models.find(models.default)!).model,
    isOwner: (user_id) => isOwner(engine, user_id),
    tell: (session_id, type, payload) =>
      void journal
        .append(session_id, null, [{ type, data: JSON.stringify(payload), run_id: null, loop_id: null, turn_id: null }])
        .catch((error: unknown) => logger.warn({ err: error, session_id }, `${type} could not be told`)),
  }
  const features = await openFeatures(world, { sandbox, isDemo, extra }, parts)
  const { catalog } = features
  const isConfigured = hostsOfConfig(config)
  const policy = createPolicy({ rules: config.policy.rules, headless: config.policy.headless })
  const hasArgumentRules = config.policy.rules.some((rule) => rule.arguments !== undefined)
  const consentMs = config.policy.confirmationMinutes * 60_000
  const sessionTools = (
    session: { id: string; disable_tools: string | null },
    run: Pick<SessionTools, 'env' | 'notify' | 'isPlanning' | 'isHeadless' | 'isNamed'>,
  ) =>
    toolsFor(() => catalog.of(session.id), {
      ...run,
      session_id: session.id,
      workspace: () => workspaces.make(session.id),
      language,
      disabled: disabledTools(session),
      policy,
      directory: hasArgumentRules ? workspaces.directoryOf(session.id) : undefined,
    })
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
    consentMs,
    drainMs,
    model: models.find,
    hasModel: models.has,
    ownTools: features.own,
    gone,
    sharesWorkspaces: features.sharesWorkspaces,
    async tools(loaded, notify) {
      const { session, run, options, named } = loaded
      await catalog.refresh(session.id, openCalls(loaded))
      return sessionTools(session, {
        env: { ...variables(session.env), ...variables(run.secrets) },
        notify: features.slowDown(session.id, notify),
        isPlanning: options.mode === 'planning',
        isHeadless: options.headless,
        isNamed: (url) => isConfigured(url) || named.has(url),
      })
    },
    system: (run) => systemPrompt(config.systemPrompt, run.options),
    onError: (error, { session_id, run_id }) =>
      logger.error({ err: error, session_id, run_id }, 'a run left this instance'),
    ...(at && { at }),
  })
  parts.use(runs)
  const offer = () => ({ models: models.ids(), tools: features.own() })
  const onSilence = (error: unknown) => logger.warn({ err: error }, 'no sign of life could be given')
  parts.use(await startInstance({ engine, id: instance, leaseMs, offer, onError: onSilence }))
  parts.use(startJanitor(engine, (error) => logger.warn({ err: error }, 'the journal could not be pruned')))
  engine.onNudge((session_id) => runs.nudgedFromOutside(session_id))
  runs.start()

  const sessions = createSessions({
    engine,
    clock,
    ids,
    journal,
    runs,
    gone,
    owner: instance,
    leaseMs,
    contextWindow: (model) => models.find(model)?.contextWindow ?? 0,
    seal: (text) => seal.seal(text),
    open: (sealed) => seal.open(sealed),
    ownTools: features.own,
    checkEdit: (session, tool_name, edited) =>
      checkEdit(
        sessionTools(session, {
          env: {},
          notify: () => undefined,
          isPlanning: false,
          isHeadless: false,
          isNamed: isConfigured,
        }),
        tool_name,
        edited,
      ),
    defaultModel: () => models.default,
    hasModel: models.has,
    mayHaveModel: (id) => models.find(id) !== undefined,
    storeFile: (session_id, name, bytes) => workspaces.storeFile(session_id, name, bytes),
    tables: features.tables,
    dropSession: features.dropSession,
    async preamble(session) {
      await catalog.refresh(session.id, [])
      const mode = session.mode as Mode
      const nobody = { env: {}, notify: () => undefined, isHeadless: false, isNamed: isConfigured }
      const offered = sessionTools(session, { ...nobody, isPlanning: mode === 'planning' }).list()
      const own = offered.map(({ name, description, input }) => ({ name, description, input }))
      return { system: systemPrompt(config.systemPrompt, { mode }), tools: [...own, ...LOOP_TOOLS] }
    },
    ...(at && { at }),
  })
  const tellOwner = (session_id: string) => {
    runs.nudge(session_id)
    engine.nudge(session_id)
  }
  parts.use(
    startExpiry({ engine, clock, ids, journal, tellOwner }, (error) =>
      logger.warn({ err: error }, 'confirmations could not be expired'),
    ),
  )
  return { sessions, models, features }
}

/** Hosts that the operator names for models to choose, with any port: `egress.allow`, and what the system prompt speaks of. */
function hostsOfConfig({ egress, systemPrompt: prompt = '' }: ServerConfig): (url: string) => boolean {
  const allowed = hostList(egress?.allow ?? [])
  const told = hostsInText(prompt)
  return (text) => {
    const host = hostOf(text)
    const url = host === undefined ? null : URL.parse(`http://${host}`)
    if (!url) return false
    const address = parseAddress(nameOf(url))
    return told.has(host!) || allowed.hasName(nameOf(url)) || (address !== undefined && allowed.hasAddress(address))
  }
}

const clock: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
}

const ids: Ids = {
  next: (prefix) =>
    prefix === 'agent' ? `agent:${randomBytes(4).toString('hex')}` : `${prefix}_${randomBytes(12).toString('hex')}`,
}

function openModels(config: ServerConfig, egress: Egress, logger: Logger): Models {
  const newCallId = () => ids.next('call')
  const sleep: Clock['sleep'] = (ms, signal) => clock.sleep(ms, signal)
  try {
    return createModels({
      ...modelOptions(config),
      limits: config.answerLimits,
      egress,
      sleep,
      random: Math.random,
      newCallId,
      onFailure: (failure, next) => logModelFailure(failure, next, { logger, language: config.language }),
    })
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
