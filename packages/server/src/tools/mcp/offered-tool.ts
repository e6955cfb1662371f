import type { Tool } from '@modelcontextprotocol/client'
import { checkAgainst } from '../../foreign/check-schema.ts'
import type { JsonObject, Risk } from '../../ports.ts'
import type { ToolDefinition } from '../define-tool.ts'
import type { McpServer } from './mcp-server.ts'
import { versionDigest, type PinnedVersion, type ToolVersion } from './tool-versions.ts'

/** A tool as its server offers it now, under the name that models know. */
export type OfferedTool = {
  name: string
  title: string
  server: McpServer
  tool: Tool
  version: PinnedVersion
}

/** A tool of an MCP server as `GET /api/tools` shows it. */
export type ListedMcpTool = {
  name: string
  display_name: string
  description: string
  provider: 'mcp'
  server: string
  risk: Risk
  read_only: boolean
  replay: 'safe' | 'never'
  /** `blocked`: it is not what was used before, and nobody agreed yet. `down`: its server is not connected. */
  status: 'ready' | 'blocked' | 'down'
  input: JsonObject
  /** Present while it is blocked: what counts, and what the server offers now. */
  versions?: { approved: PinnedVersion; offered: PinnedVersion }
}

export function offeredTool(name: string, server: McpServer, tool: Tool): OfferedTool {
  const title = tool.title ?? tool.annotations?.title ?? tool.name
  const version = { description: tool.description ?? title, input: tool.inputSchema as JsonObject, ...claimed(tool) }
  return {
    name,
    title,
    server,
    tool,
    version: { ...version, digest: versionDigest(version) },
  }
}

function claimed({ annotations }: Tool): Pick<ToolVersion, 'hints'> {
  const { readOnlyHint = false, destructiveHint = false } = annotations ?? {}
  if (!readOnlyHint && !destructiveHint) return {}
  return { hints: { ...(readOnlyHint && { readOnly: true }), ...(destructiveHint && { destructive: true }) } }
}

/** `approved`: the version that counts, if the tool was ever used. */
export function isBlocked({ version }: OfferedTool, approved: PinnedVersion | undefined): boolean {
  return approved !== undefined && approved.digest !== version.digest
}

export function listedTool(offered: OfferedTool, approved: PinnedVersion | undefined): ListedMcpTool {
  const { name, title, server, version } = offered
  const { risk, readOnly, replay } = mannersOf(offered)
  const blocked = isBlocked(offered, approved)
  return {
    name,
    display_name: title,
    description: version.description,
    provider: 'mcp',
    server: server.name,
    risk,
    read_only: readOnly,
    replay,
    status: blocked ? 'blocked' : server.isReady ? 'ready' : 'down',
    input: version.input,
    ...(blocked && approved && { versions: { approved, offered: version } }),
  }
}

export function toolDefinition(offered: OfferedTool, run: ToolDefinition['run']): ToolDefinition {
  const { name, title, version } = offered
  return {
    name,
    display_name: { zh: title, en: title },
    description: version.description,
    provider: 'mcp',
    requiresConfirmation: false,
    ...mannersOf(offered),
    input: version.input,
    async check(input) {
      if (typeof input !== 'object' || input === null || Array.isArray(input))
        return { ok: false, message: `${name} was called with arguments that do not fit. They must be an object.` }
      const found = await checkAgainst(version.input, input)
      // The server decides about its own tools; a schema that we cannot use only costs the early answer.
      if (!('problems' in found) || found.problems.length === 0) return { ok: true, value: input }
      const problems = found.problems.map((problem) => (problem.startsWith('/') ? problem : `arguments ${problem}`))
      return { ok: false, message: `${name} was called with arguments that do not fit. ${problems.join('; ')}` }
    },
    run,
  }
}

/** What a server says of its tool is believed as far as the operator lets it stand. */
function mannersOf({
  server,
  tool,
}: OfferedTool): Pick<ToolDefinition, 'risk' | 'readOnly'> & Pick<ListedMcpTool, 'replay'> {
  const { readOnlyHint: readOnly = false, destructiveHint = false } = tool.annotations ?? {}
  const { risk = readOnly ? 'low' : destructiveHint ? 'high' : 'medium', replay = readOnly ? 'safe' : 'never' } =
    server.config
  return { risk, readOnly, replay }
}
