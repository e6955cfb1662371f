import type { InboxConfirmation } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../../data/account.ts'
import { daysAgo, useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { approvalWords } from './words.ts'

/** Who decided, as the reader calls them, and when: today the time is enough. */
export function useDecider({ decided_by, decided_by_name, decided_at, expires_at }: InboxConfirmation) {
  const words = useWords(approvalWords)
  const format = useFormat()
  const { data: me } = useQuery(meQuery)
  const at = decided_at ?? expires_at
  return {
    who: decided_by !== null && decided_by === me?.id ? words.you : (decided_by_name ?? words.somebody),
    when: daysAgo(at) < 1 ? format.clock(at) : format.day(at),
    absolute: format.absolute(at),
  }
}
