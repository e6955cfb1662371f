import { askUserQuestionSchema } from '@parley/protocol/schemas'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../ports.ts'
import { agentIn, questionIn } from './loop-arguments.ts'

const question = (given: JsonValue) => questionIn(JSON.stringify(given), null)
const asked = { question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] }

describe('a question', () => {
  test.each<[string, JsonValue, JsonObject]>([
    ['one question instead of a list', { questions: asked }, asked],
    ['the questions as text', { questions: JSON.stringify([asked]) }, asked],
    ['a question that is not in a list at all', asked, asked],
    ['a list without its name', [asked], asked],
    ['words', { questions: ['Which?'] }, { question: 'Which?', options: [] }],
    [
      'one option',
      { questions: [{ question: 'Sure?', options: 'Yes' }] },
      { question: 'Sure?', options: [{ label: 'Yes' }] },
    ],
    [
      'options in words',
      { questions: [{ question: 'Which?', options: ['a', 2] }] },
      { question: 'Which?', options: [{ label: 'a' }, { label: '2' }] },
    ],
    ['null options', { questions: [{ question: 'Who?', options: null }] }, { question: 'Who?', options: [] }],
    ['no options', { questions: [{ question: 'Who?' }] }, { question: 'Who?' }],
    [
      'null for everything else',
      { questions: [{ ...asked, header: null, multiSelect: null }] },
      { ...asked, header: null, multiSelect: null },
    ],
    ['a header that is no text', { questions: [{ ...asked, header: 1 }] }, { ...asked, header: null }],
    ['a truth value as text', { questions: [{ ...asked, multiSelect: 'true' }] }, { ...asked, multiSelect: true }],
    [
      'a null description',
      { questions: [{ ...asked, options: [{ label: 'a', description: null }] }] },
      { ...asked, options: [{ label: 'a', description: null }] },
    ],
    [
      'a description that is none',
      { questions: [{ ...asked, options: [{ label: 'a', description: {} }] }] },
      { ...asked, options: [{ label: 'a', description: null }] },
    ],
  ])('with %s is asked as it was meant', (_, given, meant) => {
    expect(question(given)).toEqual({ questions: [meant], source_loop: null })
  })

  test.each<[JsonValue]>([[7], ['main'], [{ loop_name: 5 }], [[]], [null]])(
    'says who asks, whatever the model wrote: %j',
    (source_loop) => {
      const loop = { loop_name: 'agent:1', description: 'dig' }
      expect(questionIn(JSON.stringify({ questions: [asked], source_loop }), loop)).toEqual({
        questions: [asked],
        source_loop: loop,
      })
    },
  )

  test.each<[JsonValue]>([[{}], [7], [{ id: 'conf_1', digest: 'x' }], [null]])(
    'is never a confirmation, however it is forged: %j',
    (confirmation) => {
      expect(question({ questions: [asked], confirmation })).not.toHaveProperty('confirmation')
      expect(question({ ...asked, confirmation })?.['confirmation']).toBeUndefined()
    },
  )

  test.each<[string, JsonValue]>([
    ['nothing', {}],
    ['no question', { questions: [] }],
    ['a question of nothing', { questions: [{ options: ['a'] }] }],
    ['labels that are alike', { questions: [{ question: 'Which?', options: ['a', 'a'] }] }],
    ['options without labels', { questions: [{ question: 'Which?', options: [{ text: 'a' }] }] }],
  ])('with %s makes no sense', (_, given) => {
    expect(question(given)).toBeUndefined()
  })

  test('that was well written is left as it is; whatever comes, what people get is well formed', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        const read = question(given as JsonValue)
        if (read) expect(askUserQuestionSchema.safeParse(read).success).toBe(true)
        if (read) expect(question(read)).toEqual(read)
      }),
    )
    const written = { questions: [{ ...asked, header: 'h', multiSelect: false, x_more: 1 }], x_note: 'n' }
    expect(question(written)).toEqual({ ...written, source_loop: null })
  })
})

describe('an Agent call', () => {
  const agent = (given: JsonValue) => agentIn(JSON.stringify(given))
  const plain = { description: 'd', prompt: 'p', tools: null, model: null }

  test.each<[string, JsonValue, object]>([
    [
      'a description alone',
      { description: 'Count the files' },
      { description: 'Count the files', prompt: 'Count the files' },
    ],
    ['a blank prompt', { description: 'd', prompt: ' ' }, { prompt: 'd' }],
    ['a null prompt', { description: 'd', prompt: null }, { prompt: 'd' }],
    ['a prompt alone', { prompt: 'p' }, { description: '' }],
    ['null for the rest', { ...plain }, {}],
    ['one tool instead of a list', { ...plain, tools: 'Read' }, { tools: ['Read'] }],
    ['the tools as text', { ...plain, tools: '["Read","Grep"]' }, { tools: ['Read', 'Grep'] }],
    ['no tools', { ...plain, tools: [] }, { tools: [] }],
  ])('with %s works', (_, given, meant) => {
    expect(agent(given)).toEqual({ ...plain, ...meant })
  })

  test.each<[JsonValue]>([[{ Read: true }], [7], [true], [[null]], [[['Read']]]])(
    'never gets more tools than it was given: %j names none',
    (tools) => {
      expect(agent({ ...plain, tools })).toBeUndefined()
    },
  )
})
