import type { Agent } from 'undici'
import { checkedLookup, type Resolve } from './lookup.ts'
import type { EgressPolicy, Trust } from './policy.ts'

export type AgentOptions = {
  policy: EgressPolicy
  resolve: Resolve
  /** `host` as in a URL, with its port unless that is the usual one. */
  trustOf: (host: string) => Trust
  /** How long a connection may take. Default 10 s. */
  connectTimeoutMs?: number
  /** How long the other side may say nothing. Default 5 min. */
  idleTimeoutMs?: number
}

/** An undici dispatcher that checks every host it connects to, also those that a redirect brings it. */
export async function createAgent({ policy, resolve, trustOf, ...times }: AgentOptions): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici')
  const { connectTimeoutMs = 10_000, idleTimeoutMs = 300_000 } = times
  return new Agent({
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    connect(options, callback) {
      const { protocol, host = options.hostname } = options
      try {
        // Here as well as before the request: sockets do not look up a host that is an address already.
        policy.checkUrl(`${protocol}//${host}`, trustOf(host))
      } catch (error) {
        queueMicrotask(() => callback(error as Error, null))
        return
      }
      const lookup = checkedLookup(policy, resolve, trustOf(host))
      buildConnector({ timeout: connectTimeoutMs, lookup })(options, callback)
    },
  })
}
