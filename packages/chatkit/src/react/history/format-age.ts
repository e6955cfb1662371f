import { toMilliseconds } from '../../model/conversation-history.ts'
import { formatClock } from '../texts/format.ts'
import type { SkinTexts } from '../texts/texts.ts'

const DAY_MS = 86_400_000

/** `HH:mm` today, "n days ago" up to six, `MM-dd` this year, else `YYYY-MM-dd`. */
export function formatAge(time: number, now: number, { locale, texts }: { locale: string; texts: SkinTexts }): string {
  const at = new Date(toMilliseconds(time))
  const days = Math.round((startOfDay(new Date(now)) - startOfDay(at)) / DAY_MS)
  if (days <= 0) return formatClock(at.getTime(), locale)
  if (days <= 6) return texts.daysAgo(days)
  const part = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en', options).format(at)
  const monthAndDay = `${part({ month: '2-digit' })}-${part({ day: '2-digit' })}`
  return at.getFullYear() === new Date(now).getFullYear() ? monthAndDay : `${at.getFullYear()}-${monthAndDay}`
}

const startOfDay = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
