import type { Feature, World } from '../../feature.ts'
import { say } from '../../words/phrases.ts'
import { grants } from '../catalog.ts'
import { AgentServers, type OpenServer } from './agent-servers.ts'
import { approvalRoutes } from './approval-routes.ts'
import type { McpServersConfig } from './config.ts'
import { healthRoutes } from './health-routes.ts'
import { McpServers } from './mcp-servers.ts'

export type McpFeature = Feature & { servers: McpServers }

type Environment = Readonly<Record<string, string | undefined>>

/** The tools of foreign servers: configured ones, which begin to connect at once, and those of agents that are in use. */
export function mcpFeature(world: World, environment: Environment, secrets: readonly string[]): McpFeature {
  const { config, engine, clock, egress, agents, logger, version } = world
  const { leaseMs, language, mcpServers } = config
  const open = (servers: McpServersConfig, about: Partial<Parameters<OpenServer>[1]>) => {
    const { scope, beforeStart, ...agent } = about
    return new McpServers({
      ...{ servers, engine, clock, environment, leaseMs, version },
      ...(scope !== undefined && { scope }),
      ...(beforeStart && { beforeStart }),
      fetchFor: (endpoint) => egress.fetchFor(endpoint),
      onWarning: (message) => logger.warn(agent, message),
      onDown: (server, reason, ms) =>
        logger.warn({ ...agent, server }, say('log.mcpDown', language, { server, reason, ms })),
      onCallFailed: (server, said) => logger.warn({ ...agent, server }, say('log.mcpCall', language, { server, said })),
      onInfo: (message) => logger.info(agent, message),
    })
  }
  const servers = open(mcpServers, {})
  const ofAgents = new AgentServers({ open, timers: engine.timers, verify: (agent) => agents.versions.verify(agent) })
  return {
    name: 'mcp',
    servers,
    tools: {
      of: ({ agent }) => {
        const configured = servers.tools()
        if (agent === null) return configured
        return [...configured.filter(({ name }) => grants(agent, name)), ...ofAgents.tools(agent)]
      },
      refresh: ({ agent }, called) => Promise.all([servers.arrived(called), agent && ofAgents.arrived(agent)]),
      hold: ({ agent }) => agent && ofAgents.hold(agent),
      listed: async () => [...(await servers.listed()), ...(await ofAgents.listed())],
    },
    own: Object.keys(mcpServers).map((name) => `mcp:${name}`),
    routes(scope) {
      approvalRoutes(scope, { mcpWith: (name) => (servers.has(name) ? servers : ofAgents) })
      healthRoutes(scope, {
        ...{ engine, clock, secrets },
        async standings() {
          const [configured, others] = await Promise.all([
            servers.standings(),
            agents.current().then((current) => ofAgents.standings(current)),
          ])
          return [...configured.map((one) => ({ ...one, id: one.name, agent: null })), ...others]
        },
        find: async (id) => servers.find(id) ?? ofAgents.find(id, await agents.current()),
      })
    },
    close: async () => {
      await Promise.all([servers[Symbol.asyncDispose](), ofAgents[Symbol.asyncDispose]()])
    },
  }
}
