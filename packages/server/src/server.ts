import type { FastifyInstance } from 'fastify'
import { knowledgeRoutes } from './knowledge/knowledge-routes.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { openAgents } from './agents/open-agents.ts'
import { ruleWarnings } from './agents/rule-warnings.ts'
import { toolWarnings } from './agents/tool-warnings.ts'
import { versionProblems } from './agents/version-problems.ts'
import { signInPath } from './auth/auth.ts'
import { asPrincipal, mayDo } from './auth/principal.ts'
import { createSeal } from './auth/seal.ts'
import { loadSecret } from './auth/secret.ts'
import { clock } from './clock-and-ids.ts'
import type { ServerConfig } from './config/options.ts'
import { describeModels, describeStart, type StartFacts, type StartLine } from './describe-start.ts'
import { createEgress } from './egress/egress.ts'
import type { Resolve } from './egress/lookup.ts'
import { type Features, openFeatures } from './features.ts'
import { FACES } from './faces.ts'
import { forgetRemovedUsers, forgetUser, type ForgetOptions } from './forget-users.ts'
import { type ServerState, serverRoutes } from './http/server-routes.ts'
import { createAccess } from './http/access.ts'
import { presentedIn } from './http/admission.ts'
import { createApp } from './http/app.ts'
import { capabilitiesOf } from './http/capabilities.ts'
import { openDoor } from './http/door.ts'
import { ownAddresses } from './http/own-addresses.ts'
import { PageVisits } from './http/page-visits.ts'
import { refusalLog } from './http/refusal-log.ts'
import { writeLocalAccess } from './local-access.ts'
import { ModelConfigs } from './model-configs/model-configs.ts'
import { DEMO_MODEL_ID } from './models/demo/model.ts'
import type { Models } from './models/registry.ts'
import type { ListChange } from './models/watch-models.ts'
import { openCore } from './open-core.ts'
import { openModels } from './open-models.ts'
import { openIdOf, openOwnersAuth } from './open-sign-in.ts'
import { openStore } from './open-store.ts'
import { openWorld } from './open-world.ts'
import type { PointHook } from './runs/points.ts'
import { prepareDataDirectory } from './prepare-data-directory.ts'
import { openSandbox } from './sandbox/open-sandbox.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import { BUILT_IN_SOLUTIONS } from './solutions/built-in/built-in-solutions.ts'
import { toolsOfSessions } from './session-tools.ts'
import { Journal } from './store/journal.ts'
import type { ToolDefinition } from './tools/define-tool.ts'
import { VERSION } from './version.ts'

export type Server = AsyncDisposable & {
  /** Where it listens, e.g. `http://127.0.0.1:8020`. */
  url: string
  /** Where other machines find it, when it listens on every interface; else `null`. */
  elsewhere: string[] | null
  /** Signs the owner in, once. */
  signInUrl: string
}

/** What a program that embeds the server may add; the shipped one adds nothing. */
export type Extensions = {
  tools?: readonly ToolDefinition[]
  /** Where names lead. Default: where the operating system says. */
  resolve?: Resolve
  /** Called around every commit point of a run. */
  at?: PointHook
  /** Who starts this process again when it dies. Default: nobody. */
  supervisor?: { restarts: number } | null
}

/** Opens the store, wires everything and listens. Disposing stops accepting, lets what is under way end, and closes. */
export async function startServer(config: ServerConfig, logger: Logger, extensions: Extensions = {}): Promise<Server> {
  await using parts = new AsyncDisposableStack()
  let state: ServerState = 'starting'
  const warning = prepareDataDirectory(config.dataDir)
  if (warning) logger.warn(warning)
  const engine = parts.use(await openStore(config))
  const sandbox = startTrial(config, parts)
  const secret = await loadSecret({ engine, dataDir: config.dataDir, configured: config.secret, randomBytes })
  if (secret.warning) logger.warn(secret.warning)
  const { tools: extra = [], resolve, at, supervisor = null } = extensions
  const egress = parts.use(createEgress({ ...config.egress, ...(resolve && { resolve }) }))
  const auth = parts.use(await openOwnersAuth(engine, { config, secret, logger, egress }))
  const openId = openIdOf({ config, secret, logger, egress })
  if (openId) parts.use(openId)
  const journal = new Journal(engine, randomUUID)
  const { language } = config
  const now = () => performance.now()
  const onRefused = refusalLog({ logger, language, now })
  const visits = new PageVisits(() => new Date(clock.now()).toISOString())
  const onPage = (origin: string) => visits.saw(origin)
  const access = createAccess({ ...config, publicUrl: config.publicUrl, onRefused, onPage })
  const app = createApp(logger, access, { language })
  const door = openDoor({ app, access, auth, logger, now })
  const early: ListChange[] = []
  let onModels = (change: ListChange): unknown => early.push(change)
  const { dataDir, agentsDir, mayLackAgents = false, solutionsDir, mayLackSolutions = false } = config
  const agents = openAgents({
    ...{ engine, dataDir, agentsDir, mayLackAgents, solutionsDir, mayLackSolutions, randomBytes, language, logger },
    builtIn: BUILT_IN_SOLUTIONS,
    key: secret.key('agents'),
  })
  const listening = Promise.withResolvers<string>()
  const modelConfigs = new ModelConfigs({
    ...{ engine, clock, egress },
    seal: createSeal(secret.key('model_configs'), randomBytes),
  })
  const models = openModels({ config, egress, logger, stored: modelConfigs })
  parts.defer(() => models.close())
  const address = listening.promise
  const world = openWorld(
    { config, engine, journal, logger, version: VERSION, secret, address, egress, agents, models },
    parts,
  )
  const seal = world.sealFor('runtime_env')
  models.watch((change) => void onModels(change))
  const isDemo = models.default === DEMO_MODEL_ID
  const features = await openFeatures(world, { sandbox, isDemo, supervisor, extra }, parts)
  const tools = toolsOfSessions(world, features, seal)
  const { sessions, source } = await openCore({ world, models, features, tools, seal, at }, parts)
  const hasModel = (id: string) => models.find(id) !== undefined
  const hasMcpServers = Object.keys(config.mcpServers).length > 0
  parts.use(
    await agents.start({
      checkTools: (agent) => versionProblems(agent, { ...features, hasModel }),
      async warnings(agent) {
        const known = { ...features, hasMcpServers }
        const lists = [toolWarnings(agent, known), ruleWarnings(agent, known), features.skillWarnings(agent)]
        return (await Promise.all(lists)).flat()
      },
    }),
  )
  parts.defer(features.stopListing)
  const { level, reason, limits } = features.sandbox
  features.routes(sessions).forEach(door.signedIn)
  features.openRoutes(app, door.admission, sessions)
  const forget = { engine, sessions, features }
  const shownConfig = {
    asrEnabled: false,
    publicSharingEnabled: config.publicSharing,
    memoryEnabled: features.hasMemory,
    suggestionsEnabled: config.suggestions,
  }
  const given = {
    ...{ app, door, auth, openId, sessions, source, models, modelConfigs, config, shownConfig, visits, logger },
    analyses: features.analyses(sessions),
    forgetUser: (user_id: string) => forgetUser(user_id, forget),
    mountKnowledge: (scope: FastifyInstance, prefix: string) => knowledgeRoutes(scope, prefix, features.knowledge),
    tools: (language: ServerConfig['language']) => features.catalog.listed(language),
    onAccountChange: engine.hub.onChange.bind(engine.hub),
    trouble: () => engine.trouble(),
  }
  for (const face of FACES) face.mount(given)
  serverRoutes(app, {
    version: VERSION,
    state: () => state,
    trouble: given.trouble,
    capabilities: () => [
      ...FACES.flatMap(({ capabilities = [] }) => capabilities),
      ...capabilitiesOf(app, config.publicSharing ? [] : ['sharing']),
    ],
    async detailsFor({ headers, ip }) {
      // Through the door like everybody: health must not be the place where keys are guessed.
      const caller = await door.admission.admit(presentedIn(headers), ip)
      return mayDo(asPrincipal(caller), 'owner') ? { sandbox: { level, reason, limits } } : null
    },
  })
  parts.defer(async () => {
    state = 'stopping'
    await app.close()
  })
  await app.listen({ host: config.host, port: config.port })
  const { url, elsewhere } = ownAddresses(app.server.address() as AddressInfo)
  const origin = config.publicUrl === undefined ? url : new URL(config.publicUrl).origin
  listening.resolve(origin)
  parts.use(features.start(sessions))
  const signInUrl = origin + signInPath(await auth.newSignInCode())
  await writeLocalAccess(config.dataDir, url, auth)
  parts.defer(startForgetting(forget, logger))
  const say = ({ level: loudness, line }: StartLine) => logger[loudness](line)
  onModels = (change) => say(describeModels(change, config.language))
  describeStart(factsOf({ config, models, features, lists: early })).forEach(say)
  state = 'ok'
  const running = parts.move()
  return { url, elsewhere, signInUrl, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

type Opened = { config: ServerConfig; models: Models; features: Features; lists: readonly ListChange[] }

function factsOf({ config, models, features, lists }: Opened): StartFacts {
  const { language, modelUrl, model, models: configured = [] } = config
  const { catalog, mcpServers, sandbox } = features
  const asks = modelUrl !== undefined && model === undefined && configured.length === 0
  return {
    language,
    model: models.default,
    isDemo: models.default === DEMO_MODEL_ID,
    ...(asks && { modelsFrom: new URL(modelUrl).origin }),
    lists,
    tools: catalog.count,
    ...(config.visitors && { visitors: config.visitors }),
    ...(config.oidc && { oidc: config.oidc }),
    mcpServers: mcpServers(),
    sandbox,
  }
}

/** What it still does when the server stops is waited for; it does the rest at the next start. */
function startForgetting(options: ForgetOptions, logger: Logger): () => Promise<void> {
  const forgotten = forgetRemovedUsers(options).catch((error: unknown) =>
    logger.warn({ err: error }, 'what removed users had could not be deleted'),
  )
  return () => forgotten
}

/** Finds out how commands can be confined here, which takes as long as all the rest: meanwhile, that begins. */
function startTrial(config: ServerConfig, parts: AsyncDisposableStack): Promise<Sandbox> {
  const { dataDir, sandbox: best, sandboxNetwork: network, skillDirs: readable, leaseMs } = config
  const sandbox = openSandbox({ dataDir, best, network, readable, leaseMs })
  // Also when the start fails elsewhere first: nobody else waits for it then.
  const opened = sandbox.catch(() => undefined)
  parts.defer(async () => (await opened)?.close?.())
  return sandbox
}
