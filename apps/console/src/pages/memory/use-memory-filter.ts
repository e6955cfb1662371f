import { useSearchParams } from 'wouter'
import type { MemoryFilter } from '../../data/memories.ts'
import type { MemoryState } from './words.ts'

export const KINDS = ['feedback', 'experience'] as const
export const STATES: readonly MemoryState[] = ['active', 'disabled', 'superseded']

/** What the address asks for. */
export type Filter = { q: string; kind: string; topic: string; status: string }

export function useMemoryFilter() {
  const [params, setParams] = useSearchParams()
  const read = (name: keyof Filter) => params.get(name) ?? ''
  const filter: Filter = { q: read('q'), kind: read('kind'), topic: read('topic'), status: read('status') }
  const change = (part: Partial<Filter>) => {
    const set = Object.entries({ ...filter, ...part }).filter(([, value]) => value !== '')
    setParams(Object.fromEntries(set), { replace: true })
  }
  return { filter, change, count: [filter.kind, filter.topic, filter.status].filter(Boolean).length }
}

/** As the server is asked; what it does not know of is left out. */
export function queryOf({ q, kind, topic, status }: Filter): MemoryFilter {
  const type = KINDS.find((one) => one === kind)
  const state = STATES.find((one) => one === status)
  return {
    ...(q.trim() && { keyword: q.trim() }),
    ...(type && { type }),
    ...(topic && { topic }),
    ...(state && { status: state }),
  }
}
