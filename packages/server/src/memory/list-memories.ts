import type { Memory, Page } from '@parley/protocol/rest'
import type { memoryQuerySchema } from '@parley/protocol/schemas'
import type { z } from 'zod'
import { runSql, type Work } from '../store/work.ts'
import { selectMemories } from './memory-rows.ts'
import { fold } from './wording.ts'

type Filter = z.output<typeof memoryQuerySchema>

const STATUS: Record<NonNullable<Filter['status']>, string> = {
  active: 'superseded_by IS NULL AND disabled = 0',
  disabled: 'superseded_by IS NULL AND disabled = 1',
  superseded: 'superseded_by IS NOT NULL',
}

/** Somebody's own, the newest first. */
export function* listMemories(user_id: string, { limit, offset, ...filter }: Filter): Work<Page<Memory>> {
  const { conditions, values } = conditionsOf(filter)
  const condition = ['user_id = ?', ...conditions].join(' AND ')
  const parameters = [user_id, ...values]
  const [row] = yield* runSql<{ total: number | string }>(
    `SELECT count(*) AS total FROM memories WHERE ${condition}`,
    parameters,
  )
  const items = yield* selectMemories(`${condition} ORDER BY id DESC LIMIT ? OFFSET ?`, [...parameters, limit, offset])
  return { items, total: Number(row!.total) }
}

function conditionsOf({ keyword = '', status, ...labels }: Omit<Filter, 'limit' | 'offset'>) {
  const words = fold(keyword).split(' ').filter(Boolean)
  const named = Object.entries(labels).filter(([, value]) => value !== undefined)
  return {
    conditions: [
      ...(status ? [STATUS[status]] : []),
      ...named.map(([name]) => `${name} = ?`),
      ...words.map(() => `folded LIKE ? ESCAPE '!'`),
    ],
    values: [...named.map(([, value]) => value), ...words.map((word) => `%${word.replace(/[!%_]/g, '!$&')}%`)],
  }
}
