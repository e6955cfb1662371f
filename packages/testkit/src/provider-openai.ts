import { callsOf, chunksOf, usageOf, type FakeReply, type FakeError } from './provider-reply.ts'
import type { FakeRequest } from './provider-request.ts'

/** The server-sent events of a reply as OpenAI's chat completions send them: what is said, then how it ends. */
export function openaiFrames(reply: FakeReply, request: FakeRequest) {
  const { thinking = '', text = '', chunkChars, finish } = reply
  const calls = callsOf(reply, request.number)
  const chunk = (rest: object) =>
    frame({
      id: `chatcmpl-${request.number}`,
      object: 'chat.completion.chunk',
      created: 1_760_000_000,
      model: request.model,
      ...rest,
    })
  const delta = (value: object, finish_reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: value, logprobs: null, finish_reason }] })

  const said = [
    delta({ role: 'assistant', content: '' }),
    ...chunksOf(thinking, chunkChars).map((reasoning_content) => delta({ reasoning_content })),
    ...chunksOf(text, chunkChars).map((content) => delta({ content })),
    ...calls.flatMap(({ index, id, name, arguments: raw }) => [
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...chunksOf(raw, chunkChars ?? 12).map((piece) =>
        delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
  ]
  const usage = usageOf(reply, request.bytes.length)
  const ending = [
    delta({}, FINISH_REASONS[finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')]),
    ...(usage
      ? [
          chunk({
            choices: [],
            usage: {
              prompt_tokens: usage.input,
              completion_tokens: usage.output,
              total_tokens: usage.input + usage.output,
              prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
            },
          }),
        ]
      : []),
    'data: [DONE]\n\n',
  ]
  return { said, ending }
}

export function openaiStreamError(error: NonNullable<FakeReply['errorInStream']>): string {
  return frame({ error: { param: null, code: null, ...error } })
}

export function openaiErrorBody({ status, overflow }: FakeError): object {
  if (overflow)
    return openaiError(
      'invalid_request_error',
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
      'context_length_exceeded',
    )
  if (status === 401) return openaiError('invalid_request_error', 'Incorrect API key provided.', 'invalid_api_key')
  if (status === 429) return openaiError('tokens', 'Rate limit reached for requests.', 'rate_limit_exceeded')
  if (status >= 500) return openaiError('server_error', 'The server had an error while processing your request.', null)
  return openaiError('invalid_request_error', 'The request is invalid.', null)
}

const FINISH_REASONS = { stop: 'stop', tool_calls: 'tool_calls', length: 'length', refused: 'content_filter' } as const

function openaiError(type: string, message: string, code: string | null) {
  return { error: { message, type, param: null, code } }
}

function frame(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}
