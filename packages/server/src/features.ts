import type { SkillSnapshot } from '@parley/protocol/rest'
import type { FastifyInstance } from 'fastify'
import { agentsFeature } from './agents/agents-feature.ts'
import { AgentTools } from './agents/agent-tools.ts'
import type { AgentVersion } from './agents/agent-version.ts'
import { auditFeature } from './audit/audit-feature.ts'
import { backgroundFeature } from './background/background-feature.ts'
import { ConfigError } from './config/load-config.ts'
import type { ServerConfig } from './config/options.ts'
import { serverSecrets } from './config/server-secrets.ts'
import { crashFeature } from './crash/crash-feature.ts'
import { instancesFeature } from './instances/instances-feature.ts'
import { recallAll, type RecallAll } from './context/recall.ts'
import type { Feature, SessionReader, SessionSwitches, World } from './feature.ts'
import { openSessionMasks, type SessionMasks } from './secrets/session-masks.ts'
import { sharingFeature } from './sharing/sharing-feature.ts'
import { feedbackFeature } from './feedback/feedback-feature.ts'
import { type KnowledgeFeature, knowledgeFeature } from './knowledge/knowledge-feature.ts'
import { memoryFeature } from './memory/memory-feature.ts'
import { modelCallsFeature } from './model-calls/model-calls-feature.ts'
import type { Admission } from './http/admission.ts'
import { runHistoryFeature } from './run-history/run-history-feature.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import { schedulesFeature } from './schedules/schedules-feature.ts'
import { policyFeature } from './policy/policy-feature.ts'
import { startFilling } from './relevance/vector-filler.ts'
import { skillsFeature } from './skills/skills-feature.ts'
import { solutionsFeature } from './solutions/solutions-feature.ts'
import { Snapshots } from './snapshots/snapshots.ts'
import { snapshotsFeature } from './snapshots/snapshots-feature.ts'
import { suggestionsFeature } from './suggestions/suggestions-feature.ts'
import { settingsFeature } from './settings/settings-feature.ts'
import { usageFeature } from './usage/usage-feature.ts'
import { tasksFeature } from './tasks/tasks-feature.ts'
import { titlesFeature } from './titles/titles-feature.ts'
import { type Analyses, openAnalyses } from './tools/analysis/analyses.ts'
import { analysisFeature } from './tools/analysis/analysis-feature.ts'
import { bash } from './tools/bash/bash.ts'
import { demoSend } from './tools/builtin/demo-send.ts'
import { renderChart } from './tools/builtin/render-chart.ts'
import { renderHtml } from './tools/builtin/render-html.ts'
import { ToolCatalog, type ToolOwner } from './tools/catalog.ts'
import type { TellClients, ToolDefinition } from './tools/define-tool.ts'
import { httpFeature } from './tools/http/http-feature.ts'
import { configuredTools } from './tools/http/usable-tools.ts'
import { fileFeature } from './tools/file-ops/file-feature.ts'
import { langchainTools } from './tools/langchain/langchain-tools.ts'
import { loopTools } from './tools/loop-tools.ts'
import { mcpFeature } from './tools/mcp/mcp-feature.ts'
import type { McpServers } from './tools/mcp/mcp-servers.ts'
import { ownFeature } from './tools/own/own-feature.ts'
import { builtInProblem, ownProblems } from './tools/own/own-problems.ts'
import { isReserved, isReservedName, sayUselessRules } from './tools/rules-about-tools.ts'
import { tryPolicyRoute } from './tools/try-policy-route.ts'
import { toolRoutes } from './tools/tool-routes.ts'
import { transferFeature } from './transfer/transfer-feature.ts'
import { webTools } from './tools/web/web-tools.ts'
import { workspaceFeature } from './workspace/workspace-feature.ts'

export type FeaturesOptions = {
  /** Being tried out meanwhile: whoever starts the trial also closes what comes of it. */
  sandbox: Promise<Sandbox>
  /** No real model is there: tools that only show something are offered too. */
  isDemo: boolean
  /** Who starts this process again when it dies; `null`: nobody. */
  supervisor: { restarts: number } | null
  /** What a program that embeds the server adds. */
  extra: readonly ToolDefinition[]
}

/** What follows from the list of features. */
export type Features = {
  catalog: ToolCatalog
  /** Whether anything is remembered across sessions. */
  hasMemory: boolean
  /** A skill for a session that begins with it; throws `invalid_payload`. */
  beginSkill: (id: string, owner: ToolOwner) => Promise<SkillSnapshot>
  /** Names of tools that a session has switched off with what they belong to. */
  switchedOff: (session: SessionSwitches) => string[]
  /** What must be seen nowhere outside: of the server itself, and of each session. */
  masks: SessionMasks
  /** What other instances may lack: tools that the configuration or the embedding program adds. */
  own: () => string[]
  routes: (sessions: SessionReader) => ((scope: FastifyInstance) => void)[]
  openRoutes: (app: FastifyInstance, admission: Admission, sessions: SessionReader) => void
  /** Begins what features do by themselves. */
  start: (sessions: SessionReader) => AsyncDisposable
  slowDown: (session_id: string, tell: TellClients) => TellClients
  recall: RecallAll
  /** Called when a run has left this instance. */
  afterRun: NonNullable<Feature['afterRun']>
  /** Tables, beside those of the store itself, whose rows go with their session. */
  tables: readonly string[]
  dropSession: (session_id: string) => Promise<void>
  /** What a removed user has beside sessions. */
  dropUser: (user_id: string) => Promise<void>
  sharesWorkspaces: () => Promise<boolean>
  snapshots: Snapshots
  knowledge: KnowledgeFeature['knowledge']
  /** What analyses have left, for their owners. */
  analyses: (sessions: SessionReader) => Analyses
  mcpServers: () => McpServers['counts']
  /** What is wrong with the tools of an agent's own files: a line each, which begins with the path in its folder. */
  toolProblems: (agent: AgentVersion) => Promise<readonly string[]>
  /** What may be a mistake in the skills of an agent's folder: the same. */
  skillWarnings: (agent: AgentVersion) => Promise<string[]>
  /** Names of the server's own tools, but for those of MCP servers that are not connected. */
  toolNames: () => Promise<string[]>
  /** Names of the tools of an agent's own files. */
  toolNamesOf: (agent: AgentVersion) => Promise<string[]>
  /** The server stops, and waits for no file that hangs while it is imported. */
  stopListing: () => void
  sandbox: Sandbox
}

/** Opens everything that the server can do. The order is the one in which models get the tools, and sessions are dropped. */
export async function openFeatures(
  world: World,
  { sandbox: trial, isDemo, supervisor, extra }: FeaturesOptions,
  parts: AsyncDisposableStack,
): Promise<Features> {
  const { config, engine, egress, clock, logger } = world
  const { leaseMs, policy } = config
  const secrets = serverSecrets(process.env, config)
  const opened = new Set<Feature>()
  const open = <F extends Feature>(feature: F): F => {
    if (feature.close && !opened.has(feature)) parts.defer(feature.close)
    opened.add(feature)
    return feature
  }
  // Foreign servers take their time: they connect while the sandbox is tried out.
  const mcp = open(
    mcpFeature(
      world,
      process.env,
      secrets.map(({ value }) => value),
    ),
  )
  const snapshots = new Snapshots({ ...world, now: Date.now })
  const workspace = open(await workspaceFeature(world, { beforeWrite: (id) => snapshots.beforeWrite(id) }))
  const sandbox = await trial
  const background = open(backgroundFeature(world, sandbox))
  await background.commands.sweep()
  const http = await httpFeature(world, {
    configured: await fromConfiguration('httpTools', () => configuredTools(config.httpTools, egress)),
    isFixed: (name) => catalog.has(name),
    isTaken: async (name) => isReservedName(name) || catalog.has(name) || (await catalog.isListed(name)),
  })
  const given = [
    ...(await fromConfiguration('langchainTools', async () => langchainTools(config.langchainTools))),
    ...extra,
  ]
  demandGoodTools(config, given)
  const own = ownFeature(world, process.env)

  const ofAgents = new AgentTools({
    own,
    project: process.cwd(),
    verify: (agent) => world.agents.versions.verify(agent),
    now: () => clock.elapsed(),
    onProblem: ({ name, digest }, problem) =>
      logger.warn({ agent: name, version: digest }, `agents/${name}/${problem}`),
  })
  const skills = skillsFeature(world, {
    sandbox,
    isTaken(name, prefixed, agent) {
      const rules = [...policy.rules, ...(agent?.policy?.rules ?? [])]
      const isOwn = ofAgents.of({ agent }).some((tool) => tool.name === name)
      return catalog.has(name) || http.has(name) || isOwn || isReserved(rules, name, prefixed)
    },
  })

  const knowledge = knowledgeFeature(world, isDemo)
  const masks = openSessionMasks({ engine, seal: world.sealFor('runtime_env'), sealFor: world.sealFor, own: secrets })
  if (world.embedder)
    parts.use(
      startFilling(engine, world.embedder, (error) => world.logger.warn({ err: error }, 'embeddings could not be had')),
    )
  const list: Feature[] = [
    fileFeature({ sandbox, leaseMs }),
    {
      name: 'bash',
      tools: [bash({ sandbox, background: background.commands, leaseMs })],
      // Without one it has the rights of the server, and could read what is everybody's.
      isFor: ({ isOfOwner }) => isOfOwner || sandbox.level !== 'none',
    },
    background,
    tasksFeature(world),
    memoryFeature(world, secrets),
    { name: 'cards', tools: [renderHtml, renderChart] },
    analysisFeature(world, { sandbox, isShared: workspace.isShared }),
    {
      name: 'web',
      tools: webTools({ egress, hosts: config.webFetch, ...(config.search && { search: config.search }) }),
    },
    { name: 'demo', tools: isDemo ? [demoSend] : [] },
    own,
    { name: 'given', tools: given, own: given.map(({ name }) => name) },
    { name: 'http in the configuration', tools: http.configured, own: http.configured.map(({ name }) => name) },
    http,
    // What an agent brings takes the place of the tools above; functions of skills give way to what is called the same here.
    { name: 'agent tools', tools: ofAgents },
    mcp,
    skills,
    workspace,
    snapshotsFeature(world, { snapshots, isShared: workspace.isShared }),
    feedbackFeature(world),
    settingsFeature(world),
    policyFeature(world, sandbox),
    usageFeature(world),
    auditFeature(world),
    sharingFeature(world, masks),
    transferFeature(world, masks),
    knowledge,
    suggestionsFeature(world),
    titlesFeature(world),
    schedulesFeature(world),
    modelCallsFeature(world),
    runHistoryFeature(world, masks),
    instancesFeature(world),
    agentsFeature(world),
    solutionsFeature(world),
    crashFeature(world, { supervisor, isDemo }),
  ]
  list.forEach(open)
  demandOwnNames(list, { http: http.configured, own: own.tools, config })
  const catalog = new ToolCatalog(list.flatMap(({ tools }) => (tools ? [tools] : [])))
  const toolNames = async () => [
    ...[...catalog.fixed, ...loopTools, ...(await skills.skills.configuredTools())].map(({ name }) => name),
    ...http.names(),
    ...mcp.servers.offeredNames,
  ]
  // Reads the skills' directories, so what is wrong there is said now and not to the first session.
  startRuleCheck(world, { names: await toolNames(), mcp: mcp.servers }, parts)

  return {
    catalog,
    hasMemory: true,
    beginSkill: (id, owner) => skills.skills.begin(id, owner),
    masks,
    switchedOff: (session) =>
      list.flatMap((feature) => (feature.isFor?.(session) === false ? fixedOf(feature).map(({ name }) => name) : [])),
    own: () => list.flatMap(({ own = [] }) => own),
    routes: (sessions) => [
      (scope) => toolRoutes(scope, { catalog, sandbox, rules: policy.rules, engine, clock }),
      (scope) => tryPolicyRoute(scope, { catalog, policy }),
      ...list.map((feature) => (scope: FastifyInstance) => feature.routes?.(scope, sessions)),
    ],
    knowledge: knowledge.knowledge,
    recall: recallAll(
      list.flatMap(({ recall }) => (recall ? [recall] : [])),
      (error) => world.logger.warn({ err: error }, 'something could not be recalled'),
    ),
    openRoutes: (app, admission, sessions) => list.forEach((feature) => feature.openRoutes?.(app, admission, sessions)),
    start(sessions) {
      const started = new AsyncDisposableStack()
      for (const feature of list) started.use(feature.start?.(sessions))
      return started
    },
    slowDown: (session_id, tell) => list.reduce((telling, one) => one.slowDown?.(session_id, telling) ?? telling, tell),
    afterRun: (run) => list.forEach((feature) => feature.afterRun?.(run)),
    tables: list.flatMap(({ tables = [] }) => tables),
    async dropSession(session_id) {
      for (const feature of list) await feature.dropSession?.(session_id)
    },
    async dropUser(user_id) {
      for (const feature of list) await feature.dropUser?.(user_id)
    },
    sharesWorkspaces: workspace.isShared,
    snapshots,
    analyses: (sessions) => openAnalyses(engine, sessions),
    mcpServers: () => mcp.servers.counts,
    skillWarnings: (agent) => skills.skills.warningsOf(agent),
    toolNames,
    toolNamesOf: async (agent) => (await ofAgents.list(agent)).tools.map(({ name }) => name),
    toolProblems: async (agent) => (await ofAgents.list(agent)).problems,
    stopListing: () => ofAgents.close(),
    sandbox,
  }
}

function fixedOf({ tools }: Feature): readonly ToolDefinition[] {
  return tools && !('of' in tools) ? tools : []
}

function startRuleCheck(
  { config, logger }: World,
  { names, mcp }: { names: readonly string[]; mcp: McpServers },
  parts: AsyncDisposableStack,
): void {
  const stop = new AbortController()
  parts.defer(() => stop.abort())
  const warn = (message: string) => logger.warn(message)
  void sayUselessRules(config.policy.rules, { names, mcp, signal: stop.signal, warn })
}

type Brought = { http: readonly ToolDefinition[]; own: readonly ToolDefinition[]; config: ServerConfig }

/** What the configuration brings takes nobody's place: whoever wrote a rule about a name meant the tool that had it. */
function demandOwnNames(list: readonly Feature[], { http, own, config }: Brought): void {
  const fixed = list.flatMap(fixedOf)
  const isTaken = (tool: ToolDefinition) =>
    [...fixed, ...loopTools].some((one) => one !== tool && one.name === tool.name)
  for (const tool of http)
    if (isReservedName(tool.name) || isTaken(tool))
      throw new ConfigError(`httpTools: there is a tool named ${tool.name} already; choose another name.`)
  const problems = own.flatMap((tool, at) => (isTaken(tool) ? [`tools.${at}: ${builtInProblem(tool.name)}`] : []))
  refuse(problems, config)
}

function demandGoodTools(config: ServerConfig, given: readonly ToolDefinition[]): void {
  const names = given.map(({ name }) => name)
  refuse(ownProblems(config.tools, names), config)
}

function refuse(problems: readonly string[], { toolsFile }: ServerConfig): void {
  if (problems.length === 0) return
  const where = toolsFile === undefined ? '' : ` in ${toolsFile.path}`
  throw new ConfigError(`The configuration${where} is wrong:\n${problems.map((each) => `  ${each}`).join('\n')}`)
}

async function fromConfiguration<T>(option: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw new ConfigError(`${option}: ${(error as Error).message}`, { cause: error })
  }
}
