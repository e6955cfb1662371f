import { z } from 'zod'

const amount = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine(
    (value) => Number.isInteger(Number((value * 1_000_000).toFixed(3))),
    'must have at most six decimals: costs are added up exactly',
  )

/** What a million tokens cost, in `currency`. `cached`: those of the input that came from the provider's cache; default as `input`. */
export const priceSchema = z.strictObject({ input: amount, output: amount, cached: amount.optional() })
export type Price = z.infer<typeof priceSchema>

type Priced = {
  models?: readonly { id: string; price?: Price | undefined }[] | undefined
  prices?: Readonly<Record<string, Price>> | undefined
}

/** By the id of a model. What stands beside the model itself wins. */
export function pricesOf({ models = [], prices = {} }: Priced): ReadonlyMap<string, Price> {
  const own = models.flatMap(({ id, price }) => (price ? [[id, price] as const] : []))
  return new Map([...Object.entries(prices), ...own])
}
