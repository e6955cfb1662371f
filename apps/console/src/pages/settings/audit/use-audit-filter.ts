import { useSearchParams } from 'wouter'
import type { AuditFilter } from '../../../data/audit.ts'

/** What the address asks for; days are the reader's, the last one included. */
export type Filter = Record<'actor' | 'action' | 'subject' | 'from' | 'to', string>

export function useAuditFilter() {
  const [params, setParams] = useSearchParams()
  const read = (name: keyof Filter) => params.get(name) ?? ''
  const filter: Filter = {
    ...{ actor: read('actor'), action: read('action'), subject: read('subject') },
    ...{ from: read('from'), to: read('to') },
  }
  const change = (part: Partial<Filter>) => {
    const set = Object.entries({ ...filter, ...part }).filter(([, value]) => value !== '')
    setParams(Object.fromEntries(set), { replace: true })
  }
  return { filter, change, count: Object.values(filter).filter(Boolean).length }
}

/** As the server is asked; days that are none are left out. */
export function queryOf({ actor, action, subject, from, to }: Filter): AuditFilter {
  const [first, last] = [midnight(from, 0), midnight(to, 1)]
  return {
    ...(actor && { actor }),
    ...(action && { action }),
    ...(subject.trim() && { subject: subject.trim() }),
    ...(first && { from: first }),
    ...(last && { to: last }),
  }
}

function midnight(day: string, later: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? []
  if (date === undefined) return undefined
  const time = new Date(Number(year), Number(month) - 1, Number(date) + later)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}
