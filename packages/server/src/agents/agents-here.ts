import type { Clock } from '../ports.ts'
import type { RunAgent } from '../store/run-options.ts'
import type { Agents } from './agent-version.ts'

/** One that could not be had is tried again after this long. */
const AGAIN_MS = 10_000
const MAX_LACKING = 100

/** Which versions of agents this instance can work with. Any is got from the database, unless something keeps it away. */
export function agentsHere({ agents, clock }: { agents: Agents; clock: Clock }): {
  has: (agent: RunAgent) => Promise<boolean>
  /** Digests of those that could not be had when they were last wanted. */
  lacking: () => string[]
} {
  const failed = new Map<string, number>()
  return {
    async has({ name, digest }) {
      const last = failed.get(digest)
      if (last !== undefined && clock.elapsed() - last < AGAIN_MS) return false
      try {
        await agents.ready({ agent: name, agent_digest: digest, biz_role_id: null })
        failed.delete(digest)
        return true
      } catch {
        const [oldest] = failed.keys()
        if (failed.size >= MAX_LACKING && oldest !== undefined) failed.delete(oldest)
        failed.set(digest, clock.elapsed())
        return false
      }
    },
    lacking: () => [...failed.keys()],
  }
}
