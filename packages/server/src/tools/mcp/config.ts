import { z } from 'zod'
import type { Risk } from '../../ports.ts'

const ours = {
  /** Leave the server out without deleting its entry. Default false. */
  disabled: z.boolean().optional(),
  /** Risk of all its tools, in place of what they say of themselves: `low`, `medium` or `high` (asks a person first). */
  risk: z.enum(['low', 'medium', 'high']).optional(),
  /** Your word that every tool of this server may run again after a crash. Default: only those that change nothing. */
  replay: z.enum(['safe', 'never']).optional(),
  /** Milliseconds that a call may stay silent; progress starts the count again. Default 120 000. */
  timeoutMs: z.int().min(100).max(3_600_000).optional(),
}

const stdioServerSchema = z.object({
  type: z.literal('stdio').optional(),
  /** Program to start; found in PATH, or a path. */
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  /**
   * Variables of its own. Of the server's environment it gets, by name: PATH, HOME, LANG; HTTP_PROXY, HTTPS_PROXY, NO_PROXY
   * and ALL_PROXY, in either case; NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE; and
   * of `npm_config_…`: registry, cache, proxy, https_proxy, noproxy, cafile, strict_ssl, prefer_offline, offline. Nothing
   * else, so no key or token.
   */
  env: z.record(z.string(), z.string()).optional(),
  /** Directory it is started in. Default: the server's own. */
  cwd: z.string().min(1).optional(),
  ...ours,
})

const httpServerSchema = z.object({
  type: z
    .enum(['http', 'streamable-http', 'streamableHttp', 'streamable_http'], {
      error: 'must be "http"; of the remote transports only streamable HTTP is supported',
    })
    .optional(),
  /** Address of its streamable HTTP endpoint; it may be a private one. */
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
  /** Sent with every request, an `Authorization` for example. */
  headers: z.record(z.string(), z.string()).optional(),
  ...ours,
})

const mcpServerSchema = z.union([stdioServerSchema, httpServerSchema], {
  error: (issue) => problemsOf(issue as unknown as UnionIssue),
})

/** MCP servers by name, in the form other programs use: `{ "files": { "command": "npx", "args": ["…"] } }`. */
export const mcpServersSchema = z.record(
  z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9_. -]{0,63}$/, 'must be letters, digits, space, _, . or -, 64 at most'),
  mcpServerSchema,
)
export type McpServersConfig = z.output<typeof mcpServersSchema>

/** One server, with everything said. */
export type McpServerConfig = { risk?: Risk; replay?: 'safe' | 'never'; timeoutMs: number } & (
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, string>; cwd?: string }
  | { type: 'http'; url: string; headers: Record<string, string> }
)

/** The servers that are switched on, defaults filled in. */
export function enabledServers(servers: McpServersConfig): [name: string, config: McpServerConfig][] {
  return Object.entries(servers)
    .filter(([, { disabled }]) => !disabled)
    .map(([name, { disabled: _off, timeoutMs = 120_000, type: _type, ...server }]) => {
      const { risk, replay, ...where } = server
      const said = { timeoutMs, ...(risk && { risk }), ...(replay && { replay }) }
      if ('url' in where) return [name, { type: 'http', ...said, url: where.url, headers: where.headers ?? {} }]
      const { command, args = [], env = {}, cwd } = where
      return [name, { type: 'stdio', ...said, command, args, env, ...(cwd !== undefined && { cwd }) }]
    })
}

type UnionIssue = { input: unknown; errors: { path: PropertyKey[]; message?: string }[][] }

/** What is wrong with the form that was meant; of a union people would read "invalid input" only. */
function problemsOf({ input, errors }: UnionIssue): string {
  const isHttp = typeof input === 'object' && input !== null && 'url' in input
  const problems = errors[isHttp ? 1 : 0] ?? []
  return problems.map(({ path, message = 'is wrong' }) => [...path, message].map(String).join(' ')).join('; ')
}
