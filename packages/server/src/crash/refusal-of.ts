import { AgentError } from '@parley/protocol'
import type { FastifyRequest } from 'fastify'
import { isLocalHost } from '../http/access.ts'
import { DEMO_MODEL_ID } from '../models/demo/model.ts'
import { readNeeds } from '../store/run-options.ts'
import { type OwnRun, TAKEOVERS } from '../store/run-rows.ts'
import { say } from '../words/phrases.ts'
import type { CrashSettings } from './crash-feature.ts'

/** New starts in a row after which a crash would make people wait. */
const RESTARTS = 4
/** After this long the supervisor begins to count anew. */
const STEADY_SECONDS = 60

/** What proxies say about whom they speak for, whatever they call it. */
const PROXY_HEADER = /^(?:forwarded|via$|x-forwarded|x-real-|x-original-|x-envoy-|cf-|.*client-ip$)/

/** Nobody else is told anything: who came over a network, or through a proxy, is not who sits here. */
export function demandHere({ headers, raw }: FastifyRequest): void {
  const isHere = isLoopback(raw.socket.remoteAddress) && isLocalHost(headers.host)
  if (!isHere || Object.keys(headers).some((name) => PROXY_HEADER.test(name)))
    throw new AgentError('forbidden', say('refused.crashHere', 'en'))
}

/** Why this server is not killed now; `null` when it may be. */
export function refusalOf(runs: readonly OwnRun[], { supervisor, isDemo }: CrashSettings): AgentError | null {
  if (!supervisor) return new AgentError('not_found', say('refused.crashSupervised', 'en'))
  if (!isDemo) return new AgentError('not_found', say('refused.crashReal', 'en'))
  if (runs.length === 0) return new AgentError('not_running', say('refused.crashIdle', 'en'))
  if (runs.some(({ needs }) => readNeeds(needs)?.model !== DEMO_MODEL_ID))
    return new AgentError('session_busy', say('refused.crashOthers', 'en'))
  if (runs.some(({ takeovers }) => takeovers >= TAKEOVERS))
    return new AgentError('session_busy', say('refused.crashAgain', 'en', { count: TAKEOVERS }))
  const wait = Math.ceil(STEADY_SECONDS - process.uptime())
  if (supervisor.restarts < RESTARTS || wait <= 0) return null
  const words = say('refused.crashOften', 'en', { count: supervisor.restarts, seconds: wait })
  return new AgentError('rate_limited', words, { details: { retry_after: wait } })
}

function isLoopback(address = ''): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address)
}
