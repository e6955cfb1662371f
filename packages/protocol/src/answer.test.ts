import { expect, test } from 'vitest'
import { answersOf, validateAnswer } from './answer.ts'
import type { AskUserAnswer } from './question.ts'
import { askUserQuestionSchema } from './question.ts'

const { questions } = askUserQuestionSchema.parse({
  questions: [
    { question: 'Where?', header: 'Deploy', options: [{ label: 'staging' }, { label: 'production' }] },
    { question: 'What?', options: [{ label: 'api' }, { label: 'web' }], multiSelect: true },
    { question: 'Why?', options: [] },
  ],
  source_loop: null,
})
const fits = { selections: { '0': [1], '1': [1, 0] }, custom: { '2': 'because' } }

test('an answer that fits has no problems', () => {
  expect(validateAnswer(questions, fits)).toEqual([])
})

test.each<[string, Partial<AskUserAnswer>, ReturnType<typeof validateAnswer>]>([
  ['a question with neither selection nor text', { custom: {} }, [{ question: 2, reason: 'missing' }]],
  [
    'blank text and an empty selection',
    { selections: { '0': [], '1': [0] }, custom: { '0': ' ', '2': '\n' } },
    [
      { question: 0, reason: 'missing' },
      { question: 2, reason: 'missing' },
    ],
  ],
  ['a key beyond the last question', { custom: { '2': 'x', '3': 'x' } }, [{ question: 3, reason: 'unknown_question' }]],
  ['a key that is no number', { custom: { '2': 'x', why: 'x' } }, [{ question: 'why', reason: 'unknown_question' }]],
  [
    'an index beyond the options',
    { selections: { '0': [7], '1': [0] } },
    [{ question: 0, reason: 'option_out_of_range' }],
  ],
  ['a negative index', { selections: { '0': [-1], '1': [0] } }, [{ question: 0, reason: 'option_out_of_range' }]],
  ['half an index', { selections: { '0': [0.5], '1': [0] } }, [{ question: 0, reason: 'option_out_of_range' }]],
  [
    'two options of a single choice',
    { selections: { '0': [0, 1], '1': [0] } },
    [{ question: 0, reason: 'too_many_selected' }],
  ],
  ['an option twice', { selections: { '0': [0], '1': [0, 0] } }, [{ question: 1, reason: 'duplicate_option' }]],
])('[WR-30] %s is named as the problem', (_, change, problems) => {
  expect(validateAnswer(questions, { ...fits, ...change })).toEqual(problems)
})

test('[WR-31] a selection and a text for one question go together', () => {
  expect(validateAnswer(questions, { ...fits, custom: { '0': 'but carefully', '2': 'because' } })).toEqual([])
})

test('an empty entry for an unknown question counts as absent', () => {
  expect(
    validateAnswer(questions, { selections: { ...fits.selections, '9': [] }, custom: { ...fits.custom, x: ' ' } }),
  ).toEqual([])
})

test('the result names each question with the chosen labels in the order chosen', () => {
  expect(answersOf(questions, { ...fits, custom: { '0': ' ', '2': 'because' } })).toEqual([
    { question: 'Where?', header: 'Deploy', selected: ['production'], custom: null },
    { question: 'What?', header: null, selected: ['web', 'api'], custom: null },
    { question: 'Why?', header: null, selected: [], custom: 'because' },
  ])
})

test.each([
  ['no questions', { questions: [] }],
  ['equal labels', { questions: [{ question: '?', options: [{ label: 'a' }, { label: 'a' }] }] }],
  ['no question text', { questions: [{ options: [] }] }],
])('arguments with %s are refused', (_, value) => {
  expect(askUserQuestionSchema.safeParse(value).success).toBe(false)
})
