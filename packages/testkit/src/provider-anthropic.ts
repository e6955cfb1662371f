import { callsOf, chunksOf, usageOf, type FakeError, type FakeReply } from './provider-reply.ts'
import type { FakeRequest } from './provider-request.ts'

/** The server-sent events of a reply as Anthropic's messages send them: what is said, then how it ends. */
export function anthropicFrames(reply: FakeReply, request: FakeRequest) {
  const { thinking, signature = 'sig', text, chunkChars, finish } = reply
  const calls = callsOf(reply, request.number)
  const usage = usageOf(reply, request.bytes.length) ?? { input: 0, output: 0 }
  let index = 0
  const block = (start: object, deltas: object[]) => {
    const at = index++
    return [
      frame({ type: 'content_block_start', index: at, content_block: start }),
      ...deltas.map((delta) => frame({ type: 'content_block_delta', index: at, delta })),
      frame({ type: 'content_block_stop', index: at }),
    ]
  }

  const said = [
    frame({ type: 'message_start', message: messageStart(request, usage) }),
    frame({ type: 'ping' }),
    ...(thinking === undefined
      ? []
      : block({ type: 'thinking', thinking: '', signature: '' }, [
          ...chunksOf(thinking, chunkChars).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
          { type: 'signature_delta', signature },
        ])),
    ...(text === undefined
      ? []
      : block(
          { type: 'text', text: '' },
          chunksOf(text, chunkChars).map((piece) => ({ type: 'text_delta', text: piece })),
        )),
    ...calls.flatMap(({ id, name, arguments: raw }) =>
      block(
        { type: 'tool_use', id, name, input: {} },
        chunksOf(raw, chunkChars ?? 12).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      ),
    ),
  ]
  const stop_reason = STOP_REASONS[finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')]
  const ending = [
    frame({
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output },
    }),
    frame({ type: 'message_stop' }),
  ]
  return { said, ending }
}

export function anthropicStreamError({ type, message }: NonNullable<FakeReply['errorInStream']>): string {
  return frame({ type: 'error', error: { type, message } })
}

export function anthropicErrorBody({ status, overflow }: FakeError): object {
  if (overflow) return anthropicError('invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum')
  if (status === 401) return anthropicError('authentication_error', 'invalid x-api-key')
  if (status === 429) return anthropicError('rate_limit_error', 'This request would exceed your rate limit.')
  if (status === 529) return anthropicError('overloaded_error', 'Overloaded')
  if (status >= 500) return anthropicError('api_error', 'Internal server error')
  return anthropicError('invalid_request_error', 'The request is invalid.')
}

const STOP_REASONS = { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens', refused: 'refusal' } as const

function messageStart({ number, model }: FakeRequest, usage: NonNullable<ReturnType<typeof usageOf>>) {
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: usage.input,
      output_tokens: 1,
      cache_read_input_tokens: usage.cacheRead ?? 0,
      cache_creation_input_tokens: usage.cacheWrite ?? 0,
    },
  }
}

function anthropicError(type: string, message: string) {
  return { type: 'error', error: { type, message }, request_id: 'req_fake' }
}

function frame(value: { type: string; [field: string]: unknown }): string {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
}
