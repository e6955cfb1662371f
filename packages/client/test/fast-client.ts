import { once } from 'node:events'
import { type AgentSession, type AgentSessionState, ParleyClient, type ParleyClientOptions } from '@parley/client'
import { KEY, type ScriptedServer, startScriptedServer } from './scripted-server.ts'
import { answered, failing, oneTool, plainText, question, subAgentQuestion, untilStopped } from './scripts.ts'

export type Setup = AsyncDisposable & { server: ScriptedServer; client: ParleyClient }

/** A server with all scripts, and a client that comes back at once after a lost connection. */
export async function setUp(): Promise<Setup> {
  const server = await startScriptedServer()
  const scripts = { question, 'sub-agent': subAgentQuestion, stop: untilStopped, tool: oneTool, fail: failing }
  server.scripts = { default: plainText, answer: answered, ...scripts }
  const client = fastClient(server.url)
  return {
    server,
    client,
    async [Symbol.asyncDispose]() {
      client.socket().disconnect()
      await server[Symbol.asyncDispose]()
    },
  }
}

export function fastClient(baseUrl: string, token: ParleyClientOptions['token'] = KEY): ParleyClient {
  const client = new ParleyClient({ baseUrl, token })
  client.socket().io.reconnectionDelay(1)
  client.socket().io.reconnectionDelayMax(2)
  return client
}

/** Resolves with the first state, present or to come, that the predicate accepts. */
export function until(
  session: AgentSession,
  isThere: (state: AgentSessionState) => boolean,
): Promise<AgentSessionState> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isThere(session.getState())) return
      unsubscribe()
      resolve(session.getState())
    }
    const unsubscribe = session.subscribe(look)
    look()
  })
}

export const idle = ({ isReady, isStreaming }: AgentSessionState) => isReady && !isStreaming

/** The payload of the next event of that name on the application's socket. */
export async function nextOn(client: ParleyClient, name: string): Promise<Record<string, unknown>> {
  const socket = client.socket() as unknown as Parameters<typeof once>[0]
  const [payload] = (await once(socket, name)) as [Record<string, unknown>]
  return payload
}
