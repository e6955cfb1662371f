import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { createAgent, type AgentOptions } from './agent.ts'
import { EgressError } from './egress-error.ts'
import type { EgressOptions } from './egress-options.ts'
import { checkedLookup, resolveByHost, type Resolve } from './lookup.ts'
import { createEgressPolicy, type Trust } from './policy.ts'
import { request, type EgressRequest, type EgressResponse } from './request.ts'

/** The one way out: every URL that tools, MCP and models ask goes through here. */
export interface Egress extends AsyncDisposable {
  /** What the text of a URL tells. Throws an `EgressError`; the addresses of its name are checked when it is asked. */
  check(url: string | URL, trust: Trust): URL
  /** Asks a URL and reads the answer within limits. Throws an `EgressError`, or the reason of the abort. */
  request(url: string | URL, options: EgressRequest): Promise<EgressResponse>
  /**
   * A `fetch` for an endpoint that the operator configured, for libraries that want one; made once per endpoint. That
   * host and port may be private. It asks no other, whatever a redirect says: keys go along in headers of any name. Takes
   * a string or a `URL`, no `Request`.
   */
  fetchFor(endpoint: string | URL, times?: Pick<AgentOptions, 'connectTimeoutMs' | 'idleTimeoutMs'>): typeof fetch
  /** For `node:http`, which wants to know where a name leads. A host that is an address needs `check`. */
  lookup(trust: Trust): LookupFunction
}

/** `resolve` is for tests; by default names are resolved as the operating system does. */
export function createEgress(options: EgressOptions & { resolve?: Resolve } = {}): Egress {
  const { resolve = resolveByHost, allow = [], deny = [], ports } = options
  const policy = createEgressPolicy({ allow, deny, ...(ports ? { ports } : {}) })
  const open = new Set<Promise<Dispatcher>>()
  const agent = (agentOptions: Omit<AgentOptions, 'policy' | 'resolve'>) => {
    const made = createAgent({ policy, resolve, ...agentOptions })
    open.add(made)
    return made
  }
  // Made when first needed: most starts of the server ask nobody anything.
  const agents: Partial<Record<Trust, Promise<Dispatcher>>> = {}
  const dispatcherFor = (trust: Trust) => (agents[trust] ??= agent({ trustOf: () => trust }))

  return {
    check: policy.checkUrl,
    request: (url, requestOptions) => request(url, requestOptions, { policy, dispatcherFor }),
    fetchFor(endpoint, times) {
      const { host } = policy.checkUrl(endpoint, 'configured')
      const trustOf = (other: string): Trust => {
        if (other === host) return 'configured'
        throw new EgressError('refused_host', `${host} leads to ${other}, which is not configured.`)
      }
      let dispatcher: Promise<Dispatcher> | undefined
      const fetchThere = async (input: unknown, init: object = {}): Promise<unknown> => {
        const undici = await import('undici')
        dispatcher ??= agent({ trustOf, ...times })
        return undici.fetch(input as string, { ...init, dispatcher: await dispatcher })
      }
      // The same function, with other names for its types: the built-in one takes only a dispatcher of its own version.
      return fetchThere as typeof fetch
    },
    lookup: (trust) => checkedLookup(policy, resolve, trust),
    async [Symbol.asyncDispose]() {
      await Promise.all([...open].map(async (made) => (await made).destroy()))
    },
  }
}
