import { expect, test } from 'vitest'
import { failureOf, withoutKeys } from './failure.ts'

function kindOf(status: number | undefined, body: unknown) {
  return failureOf({ model: 'm', body, incomplete: false, ...(status === undefined ? {} : { status }) }).kind
}

test.each([
  ['OpenAI', 400, { error: { message: 'Too long.', code: 'context_length_exceeded', type: 'invalid_request_error' } }],
  ['vLLM', 400, { object: 'error', message: "This model's maximum context length is 4096 tokens.", code: 400 }],
  ['Anthropic', 400, { error: { type: 'invalid_request_error', message: 'prompt is too long: 2 tokens > 1 maximum' } }],
  ['Anthropic, by size', 413, { error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } }],
  ['a proxy, by size', 413, '<html>413 Request Entity Too Large</html>'],
  ['llama.cpp', 400, { error: { code: 400, message: 'the request exceeds the available context size' } }],
  ['Gemini', 400, { error: { code: 400, message: 'The input token count (9) exceeds the maximum number of tokens' } }],
  ['Bedrock', 400, 'Input is too long for requested model.'],
  ['DashScope', 400, { error: { message: 'Range of input length should be [1, 30720]' } }],
  ['Moonshot', 400, { error: { message: 'Invalid request: Your request exceeded model token limit: 8192' } }],
  ['Zhipu', 400, { error: { code: '1261', message: 'Prompt 超长' } }],
  ['LM Studio', 400, { error: 'Trying to keep the first 5000 tokens when context the overflows.' }],
  ['Ollama, with a status of 500', 500, { error: { message: 'input length exceeds the context length' } }],
  ['inside a stream', undefined, { error: { code: 'context_length_exceeded', message: 'Too long.' } }],
])('a conversation that is too long for %s is an overflow', (_provider, status, body) => {
  expect(kindOf(status, body)).toBe('overflow')
})

test.each([
  ['auth', 401, { error: { message: 'no', code: 'invalid_api_key' } }],
  ['auth', 403, { error: { message: 'no', type: 'permission_error' } }],
  ['auth', 402, { error: { message: 'Insufficient Balance' } }],
  ['auth', 429, { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }],
  ['rate_limit', 429, { error: { message: 'Request too large on tokens per min (TPM): Limit 30000' } }],
  ['rate_limit', undefined, { error: { message: 'slow down', type: 'rate_limit_error' } }],
  ['refused', 400, { error: { message: 'filtered', code: 'content_filter' } }],
  ['refused', 400, { error: { message: 'flagged', code: 'data_inspection_failed' } }],
  ['server', 500, 'Internal Server Error'],
  ['server', 408, ''],
  ['server', 529, { error: { type: 'overloaded_error', message: 'Overloaded' } }],
  ['server', undefined, { error: { type: 'overloaded_error', message: 'Overloaded' } }],
  ['server', undefined, { error: { code: 502, message: 'Provider disconnected' } }],
  ['server', undefined, null],
  ['invalid', 404, { error: { message: 'model not found' } }],
  ['invalid', 400, { detail: [{ msg: 'field required' }] }],
  ['invalid', undefined, { error: { type: 'invalid_request_error', message: 'no such tool' } }],
] as const)('%s: status %s with %o', (kind, status, body) => {
  expect(kindOf(status, body)).toBe(kind)
})

test('the message names the model, what happened, the status and what the provider said', () => {
  const { message } = failureOf({
    model: 'gpt-x',
    status: 401,
    body: '{"error":{"message":"Bad key"}}',
    incomplete: false,
  })
  expect(message).toBe('gpt-x: the provider refused the key or the account (HTTP 401): Bad key')
})

test('a long page of HTML is cut', () => {
  const { message } = failureOf({ model: 'm', status: 502, body: `<html>${'x'.repeat(9000)}`, incomplete: false })
  expect(message.length).toBeLessThan(800)
})

test.each([
  [{ 'retry-after': '3' }, 3000],
  [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
  [{ 'retry-after': 'Sun, 15 Nov 2026 10:00:30 GMT', date: 'Sun, 15 Nov 2026 10:00:00 GMT' }, 30_000],
  [{ 'retry-after': 'Sun, 15 Nov 2026 10:00:30 GMT' }, undefined],
  [{ 'retry-after': '-1' }, undefined],
  [{}, undefined],
])('the headers %o ask to wait %s ms', (headers, expected) => {
  const failure = failureOf({ model: 'm', status: 429, body: '', headers, incomplete: false })
  expect(failure.retryAfterMs).toBe(expected)
})

test.each([
  ['Authorization: Bearer abc.def', 'Authorization: Bearer [key]'],
  ['Incorrect API key provided: sk-proj-abc***xyz.', 'Incorrect API key provided: [key]'],
  ['my-own-secret is wrong', '[key] is wrong'],
  ['nothing to hide', 'nothing to hide'],
])('%s is shown as: %s', (text, shown) => {
  expect(withoutKeys(text, 'my-own-secret')).toBe(shown)
})

test.each([
  ["This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.", 128_000],
  ['prompt is too long: 210000 tokens > 200000 maximum', 200_000],
  ['input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length', 200_000],
  ['The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
  ['the request exceeds the available context size (8192 tokens), try increasing it', 8_192],
  ["This model's maximum prompt length is 131072 but the request contains 140000 tokens.", 131_072],
  ['Range of input length should be [1, 30720]', 30_720],
  ['Your request exceeded model token limit: 8192', 8_192],
  ['Please reduce the length of the messages or completion.', undefined],
])('[W10.11] an overflow tells the window: %s', (message, contextWindow) => {
  const failure = failureOf({ model: 'm', status: 400, body: { error: { message } }, incomplete: false })
  expect([failure.kind, failure.contextWindow]).toEqual(['overflow', contextWindow])
})
