import { useQueries } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { inboxItemQuery } from '../../data/inbox.ts'
import type { Timeline } from '../../timeline/timeline.ts'

/** Names of people, by the confirmation that they decided. */
export type Deciders = ReadonlyMap<string, string>

/** A run rarely asks more often; further ones stay without a name. */
const MOST_ASKED = 20

export const DecidersContext = createContext<Deciders>(new Map())

/** Of one confirmation, if that is known. */
export function useDecider(confirmation_id: string | null): string | undefined {
  return useContext(DecidersContext).get(confirmation_id ?? '')
}

/** Who decided what a run asked for. The record says that somebody did, the confirmation says who. */
export function useDeciders({ lanes }: Timeline): Deciders {
  const bars = lanes.flatMap(({ tracks }) => tracks.flat())
  const ids = bars.flatMap((bar) => (bar.kind === 'person' && bar.outcome ? (bar.confirmation_id ?? []) : []))
  return useQueries({
    queries: ids.slice(0, MOST_ASKED).map((id) => ({ ...inboxItemQuery(id), staleTime: Infinity, retry: false })),
    combine: (answers) => {
      const items = answers.flatMap(({ data }) => (data?.kind === 'confirmation' ? data : []))
      return new Map(items.flatMap(({ id, decided_by_name }) => (decided_by_name ? [[id, decided_by_name]] : [])))
    },
  })
}
