import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { isOwner } from './auth/users.ts'
import { ConfigError } from './config/load-config.ts'
import type { ServerConfig } from './config/options.ts'
import { type PolicyRule, uselessRules } from './confirm/policy.ts'
import { AGENT, ASK, LOOP_TOOLS } from './core/offer.ts'
import type { Egress } from './egress/egress.ts'
import { principalOf } from './http/signed-in.ts'
import { nearestName } from './words/nearest-name.ts'
import type { Clock, Ids } from './ports.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import type { Sessions } from './sessions/service.ts'
import type { Engine } from './store/engine.ts'
import type { InstanceWatch } from './store/instances.ts'
import type { Journal } from './store/journal.ts'
import { BackgroundTasks } from './background/background-tasks.ts'
import { backgroundTaskRoutes } from './background/background-task-routes.ts'
import { bashTools } from './tools/bash/bash-tools.ts'
import { builtinTools } from './tools/builtin/index.ts'
import { taskRoutes } from './tasks/task-routes.ts'
import { demoSend } from './tools/builtin/demo-send.ts'
import type { Notify, ToolDefinition } from './tools/define-tool.ts'
import { fileTools } from './tools/file-ops/file-tools.ts'
import { Searches } from './tools/file-ops/searches.ts'
import { makeWorkspace } from './workspace/files/make-workspace.ts'
import { langchainTools } from './tools/langchain/langchain-tools.ts'
import { McpServers } from './tools/mcp/mcp-servers.ts'
import { PythonTools } from './skills/skill-functions.ts'
import { skillRoutes } from './skills/skill-routes.ts'
import { Skills } from './skills/skills.ts'
import { type ListedTool, toolRoutes } from './tools/tool-routes.ts'
import { webTools } from './tools/web/web-tools.ts'
import { ChangeLimit } from './workspace/change-limit.ts'
import { startWorkspaceCleaner } from './workspace/cleaner.ts'
import { workspaceMarker } from './workspace/marker.ts'
import { removeWorkspace } from './workspace/remove-tree.ts'
import { storeFile } from './workspace/store-file.ts'
import { PHRASES, say } from './words/phrases.ts'
import type { ToolNames } from './words/rewording.ts'
import { workspaceRoutes } from './workspace/workspace-routes.ts'

export type OpenToolsOptions = {
  config: ServerConfig
  engine: Engine
  journal: Journal
  egress: Egress
  /** Being tried out meanwhile: whoever starts the trial also closes what comes of it. */
  sandbox: Promise<Sandbox>
  logger: Logger
  clock: Clock
  ids: Ids
  /** This process, among all that share the database. */
  instance: string
  /** Which of the others are gone. */
  instances: InstanceWatch
  version: string
  /** No real model is there: tools that only show something are offered too. */
  isDemo: boolean
  /** What a program that embeds the server adds. */
  extra: readonly ToolDefinition[]
}

/** Every tool there is, where it works, and what it leaves behind. */
export type OpenTools = {
  /** What a session may use right now, in the order models get it. */
  of: (session_id: string) => readonly ToolDefinition[]
  /** Before a run: reads the session's own skills, and waits for foreign tools that `called` names, which a start may outrun. */
  refresh: (session_id: string, called: readonly string[]) => Promise<void>
  /** What other instances may lack: tools that the configuration or the embedding program adds. */
  own: () => string[]
  /** How many there are in every session, without those of MCP servers. */
  count: number
  /** The servers that bring more, and how many right now. */
  mcpServers: () => McpServers['counts']
  sandbox: Sandbox
  workspace: (session_id: string) => Promise<string>
  /** Where it is, made or not. */
  directoryOf: (session_id: string) => string
  /** Puts a file that somebody attached into a session's workspace; returns its path there. */
  storeFile: (session_id: string, name: string, bytes: Buffer) => Promise<string>
  /** What tools are called, for people; `undefined` for those of MCP servers, which have only their own name. */
  names: ToolNames
  sharesWorkspaces: () => Promise<boolean>
  /** Everything of a deleted session that is not in the database. */
  dropSession: (session_id: string) => Promise<void>
  /** A run's notices, changes of files not more often than clients can bear. */
  notifier: (session_id: string, notify: Notify) => Notify
  routes: (sessions: Sessions) => ((scope: FastifyInstance) => void)[]
}

export async function openTools(options: OpenToolsOptions, parts: AsyncDisposableStack): Promise<OpenTools> {
  const { config, engine, journal, egress, logger, clock, ids, instance, instances, version, isDemo, extra } = options
  const { dataDir, leaseMs, language } = config
  const directory = join(dataDir, 'workspaces')
  const warn = (message: string) => logger.warn(message)
  const tell = (session_id: string, type: string, payload: object) =>
    void journal
      .append(session_id, null, [{ type, data: JSON.stringify(payload), run_id: null, loop_id: null, turn_id: null }])
      .catch((error: unknown) => logger.warn({ err: error, session_id }, `${type} could not be told`))

  const directoryOf = (session_id: string) => join(directory, session_id)
  const workspace = (session_id: string) => makeWorkspace(directoryOf(session_id))
  const mcp = parts.use(
    new McpServers({
      servers: config.mcpServers,
      engine,
      clock,
      environment: process.env,
      leaseMs,
      version,
      fetchFor: (endpoint) => egress.fetchFor(endpoint),
      onWarning: warn,
      onDown: (server, reason, ms) => logger.warn({ server }, say('log.mcpDown', language, { server, reason, ms })),
      onCallFailed: (server, said) => logger.warn({ server }, say('log.mcpCall', language, { server, said })),
      onInfo: (message) => logger.info(message),
    }),
  )
  const given = [...configured(config), ...extra]
  const changes = parts.use(
    new ChangeLimit({
      now: () => clock.elapsed(),
      many: (session_id) => tell(session_id, 'workspace:files_changed', { file_path: null }),
    }),
  )
  const marker = await workspaceMarker({ engine, directory, randomUUID })
  const sharesWorkspaces = async () => (await marker.check()).isShared
  const place = await marker.check()
  if (!place.isShared) logger.error(place.message)
  parts.use(
    startWorkspaceCleaner({
      engine,
      directory,
      now: Date.now,
      days: config.workspaceDays,
      mayClean: sharesWorkspaces,
      onError: (error) => logger.warn({ err: error }, 'workspaces could not be cleaned'),
    }),
  )

  const sandbox = await options.sandbox
  const tasks = parts.use(
    new BackgroundTasks({
      engine,
      journal,
      clock,
      ids,
      sandbox,
      instance,
      instances,
      leaseMs,
      directory: join(dataDir, 'background'),
      onError: (error) => logger.error({ err: error }, 'a background task'),
    }),
  )
  await tasks.sweep()
  const fixed = lastOfEachName([
    ...fileTools(parts.use(new Searches({ sandbox, leaseMs }))),
    ...bashTools({ sandbox, tasks, leaseMs }),
    ...builtinTools,
    ...webTools({ egress, hosts: config.webFetch, ...(config.search && { search: config.search }) }),
    ...(isDemo ? [demoSend] : []),
    ...given,
  ])

  const fixedNames = namesOf([...fixed, ...loopTools(), SUBMIT])
  const taken = new Set([...fixed, ...LOOP_TOOLS].map(({ name }) => name))
  const hasName = (name: string) => taken.has(name) || RESERVED.test(name)
  const skills = new Skills({
    directories: config.skillDirs,
    root: join(dataDir, 'skills'),
    language,
    workspace,
    python: new PythonTools({ sandbox, leaseMs, directory: dataDir }),
    isTaken: (name, prefixed) => hasName(name) || isRuled(config.policy.rules, name, prefixed),
    now: () => clock.elapsed(),
    onWarning: warn,
    onChanged: (session_id, list) => tell(session_id, 'skills:changed', { skills: list }),
  })
  const stop = new AbortController()
  parts.defer(() => stop.abort())
  // Reads the skills' directories, so what is wrong there is said now and not to the first session.
  const names = [...fixed, ...LOOP_TOOLS, ...(await skills.configuredTools())].map(({ name }) => name)
  void sayUselessRules(config.policy.rules, { names, mcp, signal: stop.signal, warn })

  const of = (session_id: string) => [...fixed, ...mcp.tools(), ...skills.knownOf(session_id)]
  return {
    of,
    refresh: async (session_id, called) => void (await Promise.all([skills.skillsOf(session_id), mcp.arrived(called)])),
    own: () => [...given.map(({ name }) => name), ...Object.keys(config.mcpServers).map((name) => `mcp:${name}`)],
    count: fixed.length + LOOP_TOOLS.length,
    mcpServers: () => mcp.counts,
    sandbox,
    names: (session_id, called) => fixedNames.get(called) ?? namesOf(skills.knownOf(session_id)).get(called),
    workspace,
    directoryOf,
    storeFile: async (session_id, name, bytes) => storeFile(await workspace(session_id), name, bytes),
    sharesWorkspaces,
    async dropSession(session_id) {
      await tasks.dropSession(session_id)
      await skills.removeOf(session_id)
      await removeWorkspace(directory, session_id)
    },
    notifier: (session_id, notify) => (event, payload) =>
      event === 'workspace:files_changed'
        ? changes.report(session_id, () => notify(event, payload))
        : notify(event, payload),
    routes: (sessions) => [
      (scope) =>
        toolRoutes(scope, {
          tools: [...fixed, ...loopTools()],
          skills,
          mcp,
          sandbox,
          isOwner: (user_id) => isOwner(engine, user_id),
        }),
      (scope) => taskRoutes(scope, { engine, sessions }),
      (scope) =>
        workspaceRoutes(scope, {
          async workspaceOf(user, session_id) {
            await sessions.get(user, session_id)
            return workspace(session_id)
          },
          changed: (session_id, file_path) =>
            changes.report(session_id, () => tell(session_id, 'workspace:files_changed', { file_path })),
        }),
      (scope) => backgroundTaskRoutes(scope, { tasks, demandSession: (user, id) => sessions.get(user, id) }),
      (scope) =>
        skillRoutes(scope, {
          skills,
          demandSession: (request, id) => sessions.get(principalOf(request), id),
          async callsOf(request, id) {
            const turns = await sessions.messages(principalOf(request), id)
            const names = turns.flatMap(({ tool_calls }) => tool_calls.map(({ tool_name }) => tool_name))
            return Object.fromEntries(
              [...new Set(names)].map((name) => [name, names.filter((one) => one === name).length]),
            )
          },
        }),
    ],
  }
}

/** Names of tools that come and go. */
const RESERVED = /^(?:mcp__|skill__|submit_result$)/

/** What a rule allows must not be taken by a skill; and a rule about a skill's tools must find them. */
function isRuled(rules: readonly PolicyRule[], name: string, prefixed: string): boolean {
  const named = rules.filter(({ tool }) => !/^\*+$/.test(tool))
  const allows = named.filter(({ decision }) => decision === 'allow')
  return uselessRules(allows, [name]).length < allows.length || uselessRules(named, [prefixed]).length < named.length
}

type Known = { names: readonly string[]; mcp: McpServers; signal: AbortSignal; warn: (message: string) => void }

/** A rule that fits no tool protects from nothing, and its author believes that it does. */
async function sayUselessRules(rules: readonly PolicyRule[], { names, mcp, signal, warn }: Known): Promise<void> {
  await mcp.settled()
  if (signal.aborted) return
  const all = [...names, ...mcp.offeredNames]
  for (const { tool, decision } of uselessRules(rules, all)) {
    // These may come later: the tools of a server that is down, and skills that are uploaded to a session.
    if ((tool.startsWith('mcp__') && !mcp.isComplete) || tool.startsWith('skill__')) continue
    const meant = nearestName(tool, all)
    warn(
      `The rule { tool: "${tool}", decision: "${decision}" } of the policy never decides: no tool has such a name.${meant ? ` Did you mean ${meant}?` : ''}`,
    )
  }
}

const LOOP_NAMES: Record<string, { zh: string; en: string }> = {
  [ASK]: PHRASES['tool.ask'],
  [AGENT]: PHRASES['tool.agent'],
}
const SUBMIT = { name: 'submit_result', display_name: PHRASES['tool.submit'] }

/** By the name that programs use, and by those that people read. */
function namesOf(tools: readonly Pick<ToolDefinition, 'name' | 'display_name'>[]) {
  const called = ({ name, display_name }: (typeof tools)[number]) =>
    [display_name.zh, display_name.en, name].map((key) => [key, display_name] as const)
  return new Map(tools.flatMap(called))
}

/** Questions and sub-agents are the loop's own business; people see them as tools all the same. */
function loopTools(): ListedTool[] {
  return LOOP_TOOLS.map((tool) => ({
    ...tool,
    display_name: LOOP_NAMES[tool.name]!,
    provider: tool.name === ASK ? 'builtin' : 'fork',
    risk: 'low',
    requiresConfirmation: false,
    readOnly: tool.name === ASK,
    replay: 'never',
  }))
}

/** A tool that the configuration brings along takes the place of ours with the same name. */
function lastOfEachName(tools: readonly ToolDefinition[]): ToolDefinition[] {
  return tools.filter(({ name }, at) => tools.findLastIndex((tool) => tool.name === name) === at)
}

function configured(config: ServerConfig): ToolDefinition[] {
  try {
    return langchainTools(config.langchainTools)
  } catch (error) {
    throw new ConfigError(`langchainTools: ${(error as Error).message}`, { cause: error })
  }
}
