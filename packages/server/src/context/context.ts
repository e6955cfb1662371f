import type { Context } from '../ports.ts'

/** What a run's model gets: the system prompt, the tools, the conversation. In this order, so that prompt caches hit. */
export function createContext(system: string): Context {
  return { assemble: async (call) => ({ system, ...call }) }
}
