import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useSearchParams } from 'wouter'
import { useVisibleInterval } from '../../data/live/visible-interval.ts'
import { usageQuery } from '../../data/usage.ts'
import { dayName, isHourly, type Range, readRange, timesBefore, timesOf } from './range.ts'
import type { GroupBy } from './words.ts'

export const GROUPS: readonly GroupBy[] = ['model', 'user', 'key', 'outcome']
/** Figures of whole days change slowly, and adding up many runs is work. */
const LOOK_MS = 60_000

/** What the address asks for. */
export function useAsked() {
  const [params, setParams] = useSearchParams()
  const [from, to] = [params.get('from'), params.get('to')]
  const today = dayName(new Date())
  const range = useMemo(() => readRange(from, to, new Date(`${today}T12:00`)), [from, to, today])
  const by = GROUPS.find((one) => one === params.get('by')) ?? null
  const change = (part: { range?: Range | null; by?: GroupBy | null }) =>
    setParams((before) => {
      const after = new URLSearchParams(before)
      if (part.range === null) for (const name of ['from', 'to']) after.delete(name)
      if (part.range) {
        after.set('from', dayName(part.range.from))
        after.set('to', dayName(part.range.to))
      }
      if (part.by === null) after.delete('by')
      if (part.by) after.set('by', part.by)
      return after
    })
  return { range, by, change, isDefault: from === null }
}

/** The range by itself, by its groups, and as it was before. */
export function useUsage(range: Range, by: GroupBy | null) {
  const interval = useVisibleInterval(LOOK_MS)
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const bucket = isHourly(range) ? ('hour' as const) : ('day' as const)
  const options = { refetchInterval: interval }
  const asked = { ...timesOf(range), bucket, timezone }
  const all = useQuery({ ...usageQuery(asked), ...options })
  const before = useQuery({ ...usageQuery({ ...timesBefore(range, new Date()), bucket, timezone }), ...options })
  const grouped = useQuery({ ...usageQuery({ ...asked, ...(by && { by }) }), ...options, enabled: by !== null })
  return { all, before, grouped }
}
