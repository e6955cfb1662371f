import type { McpServerHealth, McpTest } from '@parley/protocol/rest'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'

/** A server that is starting, or is tried again, tells of it soon. */
const LOOK_MS = 5_000

export const toolsQuery = queryOptions({ queryKey: ['tools'], queryFn: () => client.tools.list() })

export const toolQuery = (name: string) =>
  queryOptions({ queryKey: ['tools', name], queryFn: () => client.tools.get(name) })

export const mcpServersQuery = queryOptions({
  queryKey: ['mcp-servers'],
  queryFn: () => client.mcpServers.list(),
  refetchInterval: LOOK_MS,
})

export async function testServer(name: string): Promise<McpTest> {
  const test = await client.mcpServers.test(name)
  keepServer(test.server)
  return test
}

export async function restartServer(name: string): Promise<McpServerHealth> {
  const server = await client.mcpServers.restart(name)
  keepServer(server)
  return server
}

/** What is used from now on is what the reader saw. */
export async function approveTool(name: string, digest: string): Promise<void> {
  await client.tools.approve(name, digest)
  await rereadTools()
}

/** In its place; its tools may be others now. */
function keepServer(server: McpServerHealth): void {
  queryClient.setQueryData(mcpServersQuery.queryKey, (before) =>
    before?.map((one) => (one.name === server.name ? server : one)),
  )
  void queryClient.invalidateQueries({ queryKey: ['tools'] })
}

async function rereadTools(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['tools'] }),
    queryClient.invalidateQueries({ queryKey: ['mcp-servers'] }),
  ])
}
