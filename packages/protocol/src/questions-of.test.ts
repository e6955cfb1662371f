import fc from 'fast-check'
import { expect, test } from 'vitest'
import { askUserQuestionSchema } from './question.ts'
import { questionsOf } from './questions-of.ts'

const text = fc.constantFrom('Which one?', 'a', 'b', '')
const maybe = <T>(value: fc.Arbitrary<T>) => fc.oneof(value, fc.constantFrom(null, undefined, 7))
const option = fc.record({ label: maybe(text), description: maybe(text), more: fc.boolean() }, { requiredKeys: [] })
const question = fc.record(
  {
    question: maybe(text),
    header: maybe(text),
    options: maybe(
      fc.array(fc.oneof({ weight: 9, arbitrary: option }, { weight: 1, arbitrary: text }), { maxLength: 3 }),
    ),
    multiSelect: maybe(fc.boolean()),
    extra: fc.integer(),
  },
  { requiredKeys: ['question'] },
)
const call = fc.record({ questions: fc.oneof(fc.array(question, { maxLength: 2 }), fc.constantFrom(null, 'x', {})) })

test('[W7.11] questions read by hand are those that the schema reads', () => {
  let fitting = 0
  fc.assert(
    fc.property(call, (value) => {
      const parsed = askUserQuestionSchema.safeParse(value)
      if (parsed.success) fitting++
      expect(questionsOf(value as { questions?: unknown })).toEqual(parsed.success ? parsed.data.questions : undefined)
    }),
    { numRuns: 2000 },
  )
  expect(fitting).toBeGreaterThan(50)
  expect(questionsOf(undefined)).toBeUndefined()
})
