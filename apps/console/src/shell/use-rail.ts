import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { versionQuery } from '../data/account.ts'
import { RAIL, type RailItem } from './rail-items.ts'

/** The pages of this server. */
export function useRail(): readonly RailItem[] {
  const { data } = useQuery(versionQuery)
  return useMemo(() => RAIL.filter(({ needs }) => needs === undefined || data?.capabilities.includes(needs)), [data])
}
