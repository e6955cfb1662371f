import { z } from 'zod'
import { openObject } from './open-schema.ts'

/** `limit` and `offset` as they stand in a query string. */
export const pageQueryShape = {
  limit: z.coerce.number().int().min(1).max(100).default(20),
  offset: z.coerce.number().int().min(0).default(0),
}

/** `{ items, total }`, the answer of a list that is paged. */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  return openObject({ items: z.array(item), total: z.int() })
}
export type Page<Item> = { items: Item[]; total: number }
