import fc from 'fast-check'
import { expect, test } from 'vitest'
import { priceSchema } from '../config/price-options.ts'
import { Cost, costOf, inMoney } from './cost.ts'

const millionths = fc.nat(1_000_000_000)
const tokens = fc.record({ input_tokens: fc.nat(10_000_000), output_tokens: fc.nat(1_000_000), share: fc.nat(100) })

test('[W11.7] a cost is exact to a millionth, however many runs it is the sum of', () => {
  fc.assert(
    fc.property(fc.tuple(millionths, millionths, millionths), fc.array(tokens, { maxLength: 200 }), (amounts, runs) => {
      const [input, output, cached] = amounts.map((amount) => amount / 1_000_000) as [number, number, number]
      const price = { input, output, cached }
      expect(priceSchema.safeParse(price).success).toBe(true)
      const sum = new Cost()
      let exact = 0n
      for (const { input_tokens, output_tokens, share } of runs) {
        const cached_tokens = Math.floor((input_tokens * share) / 100)
        sum.add({ input_tokens, cached_tokens, output_tokens }, price)
        exact += BigInt(input_tokens - cached_tokens) * BigInt(amounts[0])
        exact += BigInt(cached_tokens) * BigInt(amounts[2]) + BigInt(output_tokens) * BigInt(amounts[1])
      }
      const told = runs.length === 0 ? undefined : Number((exact + 500_000n) / 1_000_000n) / 1_000_000
      expect(sum.told().cost).toBe(told)
    }),
  )
})

test('[W11.7] a tenth of a cent ten thousand times is ten, and no part of a cent more', () => {
  const sum = new Cost()
  const price = { input: 0.1, output: 0 }
  for (let run = 0; run < 10_000; run++) sum.add({ input_tokens: 10_000, cached_tokens: 0, output_tokens: 0 }, price)
  expect(sum.told()).toEqual({ cost: 10 })
  // Adding it up as numbers with a point is off.
  expect(Array.from({ length: 10_000 }, () => (10_000 * 0.1) / 1_000_000).reduce((a, b) => a + b)).not.toBe(10)
  expect(inMoney(costOf({ input_tokens: 1, cached_tokens: 1, output_tokens: 0 }, { ...price, cached: 0.4 }))).toBe(0)
})

test('[W11.7] what has no price is told as missing, and never as nothing', () => {
  const sum = new Cost()
  sum.add({ input_tokens: 5, cached_tokens: 0, output_tokens: 0 }, undefined)
  expect(sum.told()).toEqual({})
  sum.add({ input_tokens: 1_000_000, cached_tokens: 0, output_tokens: 0 }, { input: 3, output: 15 })
  expect(sum.told()).toEqual({ cost: 3, cost_is_partial: true })
})

test('a price has at most six decimals, and is no less than nothing', () => {
  for (const input of [0.000_000_1, -1, 1.234_567_8, 2_000_000, Number.NaN])
    expect([input, priceSchema.safeParse({ input, output: 1 }).success]).toEqual([input, false])
  for (const input of [0, 0.000_001, 0.075, 15, 0.1 + 0.2])
    expect([input, priceSchema.safeParse({ input, output: 1 }).success]).toEqual([input, true])
})
