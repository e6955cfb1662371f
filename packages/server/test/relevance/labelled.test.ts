import { describe, expect, test } from 'vitest'
import { evaluate } from '../../../../bench/knowledge/evaluate.ts'
import { places } from '../store/place.ts'

describe.each(places)('%s', (_name, make) => {
  test.each(['development', 'held-out'] as const)(
    '[S15.3] of the labelled questions (%s) direct ones find their passage, and hardly any unrelated one finds something',
    async (set) => {
      await using place = await make()
      await using engine = await place.open()
      const rows = await evaluate(engine, set)
      const mean = (kind: string, value: 'recall5' | 'retrieved') => {
        const these = rows.filter((row) => row.kind === kind)
        const questions = these.reduce((sum, row) => sum + row.questions, 0)
        return these.reduce((sum, row) => sum + row[value]! * row.questions, 0) / questions
      }
      expect(mean('direct', 'recall5')).toBeGreaterThanOrEqual(0.95)
      expect(mean('unrelated', 'retrieved')).toBeLessThanOrEqual(0.1)
    },
  )
})
