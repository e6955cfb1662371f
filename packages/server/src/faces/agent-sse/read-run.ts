import type { AgentEvent } from '@parley/protocol/agent-sse'
import { feed, type FeedSource } from '../../feed/feed.ts'
import { agentEvents, type ReaderOptions, type Shown } from './encoding.ts'

export type RunOptions = ReaderOptions & { session_id: string; run_id: string; since: number; signal: AbortSignal }

/** One run from its beginning, or what of it comes after the place that the reader has. */
export async function* readRun(source: FeedSource, options: RunOptions): AsyncGenerator<readonly Shown[]> {
  const { session_id, since, run_id, signal } = options
  const encoding = agentEvents(source.journal, options)
  const start = { runAt: since, run_id }
  // However long the run is: it is read page by page, and nothing else tells its beginning.
  for await (const { shown } of feed(source, { session_id, start, encoding, signal, maxLag: Infinity })) yield shown
}

/** All of it, up to the run's end; `undefined` when the reader left first, or the session did. */
export async function wholeRun(source: FeedSource, options: RunOptions): Promise<AgentEvent[] | undefined> {
  const events: AgentEvent[] = []
  for await (const shown of readRun(source, options))
    for (const event of shown) {
      if (event === 'lost' || event === 'deleted') return undefined
      if ('over' in event && event.over === options.run_id) return events
      if (!('over' in event)) events.push(event)
    }
  return undefined
}
