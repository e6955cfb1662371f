import { ERROR_STATUS } from '@parley/protocol/wire'
import { describe, expect, test } from 'vitest'
import { CANCELLED, EARLIER_REFUSED, OUTCOME_UNKNOWN, STOPPED_BY_SHUTDOWN } from '../core/messages.ts'
import { failureOf, networkFailure, unreadableFailure } from '../models/failure.ts'
import { EXPIRED, REJECTED } from '../confirm/decision.ts'
import { WITHDRAWN } from '../runs/waiting.ts'
import { errorWords, failureWords } from './error-words.ts'
import { CATALOGUE, isForOperators, reword } from './phrase-book.ts'
import { filled } from './filled.ts'

const HAN = /\p{Script=Han}/u
const zh = { language: 'zh', audience: 'account' } as const
const en = { language: 'en', audience: 'account' } as const
const visitor = { language: 'en', audience: 'visitor' } as const
const gaps = (template: string) => [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).sort()

describe('the catalogue', () => {
  test.each(Object.entries(CATALOGUE))('%s says the same in both languages', (key, phrase) => {
    expect(phrase.en).not.toMatch(HAN)
    expect(phrase.zh === ' 或 ' || HAN.test(phrase.zh), key).toBe(true)
    expect(gaps(phrase.zh)).toEqual(gaps(phrase.en))
    // Half a translation: punctuation of the other language.
    expect(phrase.zh).not.toMatch(/\p{Script=Han}[,;:?!]/u)
  })

  test('has a sentence for every code', () => {
    for (const code of Object.keys(ERROR_STATUS)) expect(CATALOGUE).toHaveProperty([`error.${code}`])
  })
})

const found = Object.entries(CATALOGUE).filter(([key]) =>
  /^(notice|tool|consent|recovered|retry|failure|result|refused|error|said|schedule)\./.test(key),
)

test.each(found)('%s is found in either language, with what stands in it', (key, phrase) => {
  const shelf = /^(notice|tool|consent|recovered|retry)/.test(key)
    ? 'notice'
    : key.startsWith('said')
      ? 'said'
      : key.startsWith('result')
        ? 'result'
        : 'failure'
  const values = Object.fromEntries(gaps(phrase.en).map((name, index) => [name, `v${index}`]))
  for (const language of ['en', 'zh'] as const)
    for (const written of [phrase.en, phrase.zh])
      expect(reword(filled(written, values), shelf, language)).toBe(filled(phrase[language], values))
})

test.each([CANCELLED, EARLIER_REFUSED, OUTCOME_UNKNOWN, STOPPED_BY_SHUTDOWN, EXPIRED, REJECTED, WITHDRAWN])(
  'what stands for the result of a call that did not run is known: %s',
  (text) => {
    expect(reword(text, 'result', 'zh')).toMatch(HAN)
  },
)

test.each([
  failureOf({
    model: 'gpt',
    status: 401,
    body: { error: { message: 'Incorrect API key provided' } },
    incomplete: false,
  }),
  failureOf({ model: 'gpt', status: 404, body: { error: { message: 'model not found' } }, incomplete: false }),
  failureOf({ model: 'gpt', status: 429, body: '', incomplete: false }),
  failureOf({ model: 'gpt', status: 400, body: { error: { code: 'context_length_exceeded' } }, incomplete: false }),
  failureOf({ model: 'gpt', status: 400, body: { error: { code: 'content_filter' } }, incomplete: false }),
  failureOf({ model: 'gpt', status: 503, body: '<!doctype html><p>no', incomplete: false }),
  networkFailure('gpt', 'connect ECONNREFUSED 127.0.0.1:1', false),
  networkFailure('gpt', 'the stream ended early', true),
  unreadableFailure('gpt', 'it sent something that is not JSON', false),
])('a failure of a provider is told in Chinese, its own words kept: $message', ({ message }) => {
  const words = errorWords('llm_error', message, zh)
  expect(words).toMatch(/^gpt：\p{Script=Han}/u)
  expect(words).not.toMatch(/the provider|cannot reach|no details/)
  for (const own of ['Incorrect API key provided', 'model not found', 'connect ECONNREFUSED 127.0.0.1:1'])
    expect(words.includes(own)).toBe(message.includes(own))
  expect(errorWords('llm_error', words, en)).toBe(message)
})

test('where to look is told too', () => {
  const message =
    'qwen: the provider rejected the request (HTTP 404): no such model. Look at PARLEY_MODEL_URL and `model` of the model qwen in the configuration.'
  expect(errorWords('llm_error', message, zh)).toBe(
    'qwen：模型服务商不接受这个请求 (HTTP 404)：no such model. 请检查 PARLEY_MODEL_URL 和 配置中模型 qwen 的 `model`。',
  )
})

describe('an error’s sentence', () => {
  test('without a translation follows that of its code', () => {
    expect(errorWords('invalid_payload', 'headless: false needs Accept.', zh)).toBe(
      '请求内容有误：headless: false needs Accept.',
    )
    expect(errorWords('invalid_payload', 'headless: false needs Accept.', en)).toBe('headless: false needs Accept.')
  })

  test('in Chinese stays as it is, also for who reads English: somebody else wrote it', () => {
    expect(errorWords('llm_error', '余额不足', zh)).toBe('余额不足')
    expect(errorWords('llm_error', '余额不足', en)).toBe('余额不足')
  })

  test.each(['llm_error', 'llm_stream_incomplete', 'context_overflow', 'tool_error', 'internal_error', 'no_such_code'])(
    'of code %s is a plain one for visitors, whatever it says',
    (code) => {
      for (const language of ['zh', 'en'] as const) {
        const words = errorWords(code, 'gpt: the key sk-1 of 10.0.0.7 is bad', { language, audience: 'visitor' })
        expect(words).not.toMatch(/gpt|sk-1|10\.0/)
        expect(HAN.test(words)).toBe(language === 'zh')
      }
    },
  )

  test('of ours that names a host is nothing for visitors, however long what it quotes', () => {
    const said = `The MCP server "inside" could not run x: ${'y'.repeat(200_000)}`
    expect(isForOperators(said, 'result')).toBe(true)
    expect(errorWords('rate_limited', `gpt: the provider failed: ${'y'.repeat(200_000)}`, visitor)).not.toContain('gpt')
  })

  test('that quotes itself without an end is reworded three deep, and no deeper', () => {
    const unit = 'rejected by the user: '
    const words = reword(unit.repeat(2_000), 'result', 'zh')!
    expect(words.match(/已被用户拒绝/g)).toHaveLength(3)
    expect(words.endsWith(unit.repeat(1_997))).toBe(true)
  })

  test('opens with its code where a turn has it; a mark alone stays', () => {
    expect(failureWords('llm_error: secret', visitor)).toBe(
      'llm_error: The model could not answer right now. Please try again later.',
    )
    expect(failureWords('server_stopped', visitor)).toBe('server_stopped')
  })
})
