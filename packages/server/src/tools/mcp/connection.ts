import { setTimeout as delay } from 'node:timers/promises'
import type {
  CallToolResult,
  Client,
  jsonSchemaValidator,
  Progress,
  Tool,
  Transport,
} from '@modelcontextprotocol/client'
import type { JsonObject } from '../../ports.ts'
import type { Tether } from '../../sandbox/tether.ts'
import { boundedFetch } from './bounded-fetch.ts'
import type { McpServerConfig } from './config.ts'
import { guardMessages } from './guard-messages.ts'
import { StdioTransport } from './stdio-transport.ts'

/** Package runners download the server first. */
const CONNECT_MS = 60_000
const LIST_MS = 30_000
const LIST_PAGES = 32
const PING_MS = 5000
const GOODBYE_MS = 1000
/** How soon a stream that the server closed is opened again, whatever the server says about it. */
const REOPEN_MS = { min: 1000, max: 60_000 }
/** However often a server reports progress. */
const LONGEST_CALL_MS = 60 * 60 * 1000

export type ConnectionOptions = {
  config: McpServerConfig
  /** For programs that are started; see `inherited-variables.ts`. */
  environment: Readonly<Record<string, string>>
  /** What holds them to our life. */
  tether: Pick<Tether, 'variables'>
  /** For servers behind a URL; default: the global one. */
  fetchFor?: (endpoint: string) => typeof fetch
  version: string
  /** Before a program is started, every time; what it throws is why the server is down. Default nothing. */
  beforeStart?: () => Promise<void>
  /** A line that the program wrote to stderr, at most 500 characters of it. */
  onSaid: (line: string) => void
  /** The server says that its tools are other ones now. */
  onToolsChanged: () => void
  /** Once, when nothing will come through any more; also after `close`. */
  onClose: (reason: string) => void
  signal: AbortSignal
}

export type CallOptions = {
  /** As the server calls it. */
  tool: string
  input: JsonObject
  timeoutMs: number
  signal: AbortSignal
  onProgress: (progress: Progress) => void
}

/** A live connection to one MCP server. */
export type McpConnection = {
  readonly pid: number | undefined
  listTools(): Promise<Tool[]>
  call(options: CallOptions): Promise<CallToolResult>
  close(): Promise<void>
}

/** Starts or reaches the server and shakes hands. The client package is loaded by the first server there is. */
export async function openConnection(options: ConnectionOptions): Promise<McpConnection> {
  const { config, version, onToolsChanged, onClose, signal } = options
  const { Client: McpClient } = await import('@modelcontextprotocol/client')
  const client = new McpClient(
    { name: 'parley', version },
    { capabilities: {}, listMaxPages: LIST_PAGES, jsonSchemaValidator: anyOutput },
  )
  const transport = guardMessages(await transportFor(options), () => performance.now())
  Object.assign(client, {
    onclose: () => onClose(lastWordsOf(transport)),
    onerror: config.type === 'http' ? checkOnError(client) : () => undefined,
  } satisfies Pick<Client, 'onclose' | 'onerror'>)
  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged)
  try {
    await client.connect(transport, { timeout: CONNECT_MS, signal })
  } catch (error) {
    await close(client, transport)
    const words = lastWordsOf(transport)
    throw words ? new Error(`${(error as Error).message} (it said: ${words})`, { cause: error }) : error
  }
  return {
    pid: transport instanceof StdioTransport ? transport.pid : undefined,
    listTools: async () =>
      // The first limit is for each page, the second for all of them.
      (await client.listTools(undefined, { timeout: LIST_MS, signal: AbortSignal.timeout(LIST_MS) })).tools,
    call: async ({ tool, input, timeoutMs, signal: stop, onProgress }) =>
      client.callTool(
        { name: tool, arguments: input },
        {
          signal: stop,
          timeout: timeoutMs,
          resetTimeoutOnProgress: true,
          maxTotalTimeout: LONGEST_CALL_MS,
          onprogress: onProgress,
        },
      ),
    close: () => close(client, transport),
  }
}

/** The client would compile and run foreign schemas on the main thread; `call-tool.ts` has that done elsewhere. */
const anyOutput: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

async function transportFor(options: ConnectionOptions): Promise<Transport> {
  const { config, environment, tether, fetchFor, beforeStart, onSaid } = options
  if (config.type === 'stdio') {
    await beforeStart?.()
    const { command, args, cwd } = config
    return new StdioTransport({
      command,
      args,
      env: { ...environment, ...config.env, ...tether.variables() },
      ...(cwd !== undefined && { cwd }),
      onSaid,
    })
  }
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  return new StreamableHTTPClientTransport(new URL(config.url), {
    requestInit: { headers: config.headers },
    fetch: boundedFetch(fetchFor?.(config.url) ?? globalThis.fetch),
    reconnectionScheduler(reconnect, delayMs) {
      const timer = setTimeout(reconnect, Math.min(REOPEN_MS.max, Math.max(REOPEN_MS.min, delayMs)))
      return () => clearTimeout(timer)
    },
  })
}

/** HTTP has no moment at which a server is gone: after trouble of any kind, ask whether it still answers. */
function checkOnError(client: Client): () => void {
  let isAsking = false
  return () => {
    if (isAsking) return
    isAsking = true
    client
      .ping({ timeout: PING_MS })
      .catch(() => client.close())
      .catch(() => undefined)
      .finally(() => {
        isAsking = false
      })
  }
}

async function close(client: Client, transport: Transport): Promise<void> {
  if ('terminateSession' in transport && typeof transport.terminateSession === 'function') {
    const ended = Promise.resolve(transport.terminateSession()).catch(() => undefined)
    await Promise.race([ended, delay(GOODBYE_MS, undefined, { ref: false })])
  }
  await client.close().catch(() => undefined)
  await transport.close().catch(() => undefined)
}

function lastWordsOf(transport: Transport): string {
  return transport instanceof StdioTransport ? transport.lastWords : ''
}
