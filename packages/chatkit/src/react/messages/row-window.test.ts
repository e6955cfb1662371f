import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { offsetOf, windowFromEnd, windowOf } from './row-window.ts'

const column = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 200 })
const sum = (heights: readonly number[]) => heights.reduce((total, height) => total + height, 0)

describe('[K16.3] which rows are drawn', () => {
  test('[K16.3] every row that is in view is drawn, and the heights add up', () => {
    fc.assert(
      fc.property(
        column,
        fc.integer({ min: -1000, max: 100_000 }),
        fc.integer({ min: 1, max: 3000 }),
        (heights, top, height) => {
          const heightOf = (i: number) => heights[i]!
          const { start, end, before, after } = windowOf({ count: heights.length, heightOf }, top, top + height)
          expect(before + sum(heights.slice(start, end)) + after).toBe(sum(heights))
          for (let i = 0; i < heights.length; i++) {
            const rowTop = offsetOf(i, heightOf)
            const isInView = rowTop + heights[i]! > top && rowTop < top + height
            if (isInView) expect(i >= start && i < end).toBe(true)
          }
        },
      ),
    )
  })

  test('[K16.3] at the end the last rows fill the view', () => {
    fc.assert(
      fc.property(column, fc.integer({ min: 1, max: 3000 }), (heights, height) => {
        const { start, end, before } = windowFromEnd({ count: heights.length, heightOf: (i) => heights[i]! }, height)
        expect(end).toBe(heights.length)
        expect(before).toBe(sum(heights.slice(0, start)))
        if (start > 0) expect(sum(heights.slice(start))).toBeGreaterThanOrEqual(height)
      }),
    )
  })
})
