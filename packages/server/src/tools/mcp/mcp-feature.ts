import type { Feature, World } from '../../feature.ts'
import { say } from '../../words/phrases.ts'
import { grants } from '../catalog.ts'
import { approvalRoutes } from './approval-routes.ts'
import { McpServers } from './mcp-servers.ts'

export type McpFeature = Feature & { servers: McpServers }

type Environment = Readonly<Record<string, string | undefined>>

/** The tools of foreign servers, which begin to connect at once. */
export function mcpFeature(world: World, environment: Environment): McpFeature {
  const { config, engine, clock, egress, logger, version, isOwner } = world
  const { leaseMs, language, mcpServers } = config
  const servers = new McpServers({
    servers: mcpServers,
    ...{ engine, clock, environment, leaseMs, version },
    fetchFor: (endpoint) => egress.fetchFor(endpoint),
    onWarning: (message) => logger.warn(message),
    onDown: (server, reason, ms) => logger.warn({ server }, say('log.mcpDown', language, { server, reason, ms })),
    onCallFailed: (server, said) => logger.warn({ server }, say('log.mcpCall', language, { server, said })),
    onInfo: (message) => logger.info(message),
  })
  return {
    name: 'mcp',
    servers,
    tools: {
      of: ({ agent }) => servers.tools().filter(({ name }) => grants(agent, name)),
      refresh: (_owner, called) => servers.arrived(called),
      listed: () => servers.listed(),
    },
    own: Object.keys(mcpServers).map((name) => `mcp:${name}`),
    routes: (scope) => approvalRoutes(scope, { mcp: servers, isOwner }),
    close: () => servers[Symbol.asyncDispose](),
  }
}
