import type { RecordedEvents, Run } from '@parley/protocol/rest'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

const PAGE = 100
const EVENTS = 1_000

/** The runs of a session, the newest first. */
export const runsQuery = (id: string) =>
  queryOptions({
    queryKey: ['runs', id],
    queryFn: ({ signal }) => client.sessions.runs(id, { limit: PAGE }, { signal }),
  })

/** The run and those that it continues, or that continue it: people know them as one. */
export function chainOf(runs: readonly Run[], run_id: string): readonly Run[] {
  const chain = runs.filter((run) => run.run_id === run_id)
  for (let first = chain[0]; first?.continues != null; first = chain[0]) {
    const wanted = first.continues
    const before = runs.find((run) => run.run_id === wanted)
    if (!before) break
    chain.unshift(before)
  }
  for (let last = chain.at(-1); last;) {
    const wanted = last.run_id
    last = runs.find((run) => run.continues === wanted)
    if (last) chain.push(last)
  }
  return chain
}

type Place = { run_id: string; after: number }
export type EventsPage = RecordedEvents & { place: Place }

/**
 * The record of runs that continue each other, a thousand events at a time. The last of them may be under way: whoever looks
 * asks for the next page when something has happened.
 */
export const runEventsQuery = (id: string, chain: readonly string[]) =>
  infiniteQueryOptions({
    queryKey: ['run-events', id, chain[0]],
    queryFn: async ({ pageParam, signal }): Promise<EventsPage> => {
      const query = { run_id: pageParam.run_id, after: pageParam.after, limit: EVENTS, hidden: '1' as const }
      return { ...(await client.sessions.events(id, query, { signal })), place: pageParam }
    },
    initialPageParam: { run_id: chain[0] ?? '', after: 0 },
    getNextPageParam: ({ next, items, place }) =>
      nextPlace(chain, { run_id: place.run_id, after: next ?? lastOf(items, place), isMore: next !== null }),
    staleTime: Infinity,
    gcTime: 60_000,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

function lastOf(items: RecordedEvents['items'], { after }: Place): number {
  return items.at(-1)?.event_seq ?? after
}

function nextPlace(chain: readonly string[], { run_id, after, isMore }: Place & { isMore: boolean }): Place {
  const next = chain[chain.indexOf(run_id) + 1]
  return isMore || next === undefined ? { run_id, after } : { run_id: next, after: 0 }
}

export type GivenCall = {
  event_seq: number
  model: string
  input: {
    system: string
    messages: { role: string; content?: unknown }[]
    tools: { name: string; description: string }[]
  } | null
}

/** What a model was given, by the number of the event that says so. */
export const modelCallQuery = (id: string, event_seq: number) =>
  queryOptions({
    queryKey: ['model-call', id, event_seq],
    queryFn: ({ signal }) =>
      client.api.get<GivenCall>(`/api/sessions/${encodeURIComponent(id)}/model-calls/${event_seq}`, { signal }),
    staleTime: Infinity,
  })
