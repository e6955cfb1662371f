import type { FastifyInstance } from 'fastify'
import { toldRoutes } from './told.ts'

/** What a server can do, each by a route that is there only where it can. */
const BY_ROUTE: Record<string, string> = {
  memory: '/api/memories',
  schedules: '/api/scheduled-tasks',
  sharing: '/api/sessions/:session_id/share',
  checkpoints: '/api/sessions/:session_id/checkpoints',
  knowledge: '/api/knowledge',
  users: '/api/users',
  inbox: '/api/inbox',
  runs: '/api/sessions/:session_id/runs',
  usage: '/api/usage',
  audit: '/api/audit',
  policy: '/api/policy',
  skills: '/api/skills',
  agents: '/api/agents',
  mcp_servers: '/api/mcp-servers',
  model_test: '/api/config/models/test',
  schedule_preview: '/api/scheduled-tasks/preview',
  instances: '/api/instances',
}

/** Of the app as it is mounted. `off`: what the configuration has switched off. */
export function capabilitiesOf(app: FastifyInstance, off: readonly string[]): string[] {
  const mounted = new Set(toldRoutes(app).map(({ url }) => url))
  return Object.keys(BY_ROUTE).filter((name) => mounted.has(BY_ROUTE[name]!) && !off.includes(name))
}
