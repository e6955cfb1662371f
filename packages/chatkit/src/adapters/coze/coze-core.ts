import { chatKitError } from '../../model/chat-kit-error.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import type { EventCore } from '../../stream/event-core.ts'
import type { StreamEvent } from '../../stream/event-parser.ts'
import { asArray, asNumber, asObject, asText, type JsonObject, parseJson } from '../../stream/parse-json.ts'
import { toolCallOp, type ToolParsers } from '../tool-ops.ts'
import { cozeError } from './coze-error.ts'
import { cozeMessageOps } from './coze-message.ts'
import type { CozeState, CozeStep, RequiredCall } from './coze-state.ts'

export function cozeCore(toolParsers: ToolParsers = {}): EventCore<CozeState> {
  return {
    initial: { isNamed: false, waiting: [], questions: [], isComplete: false, required: [] },
    step: (state, event) => step(state, event, toolParsers),
    finish: ({ isComplete, required }) => [
      isComplete || required.length > 0
        ? { op: 'end' }
        : { op: 'error', error: chatKitError('network', 'The connection ended before the answer was complete.') },
    ],
  }
}

function step(state: CozeState, { event, data }: StreamEvent, toolParsers: ToolParsers): CozeStep {
  const body = asObject(parseJson(data))
  switch (event) {
    case 'conversation.chat.created':
      return [state, started(body)]
    case 'conversation.message.delta':
      return [state, deltas(body)]
    case 'conversation.message.completed':
      return cozeMessageOps(state, body, toolParsers)
    case 'conversation.chat.requires_action':
    case 'conversation.chat.required_action':
      return withRequired(state, body)
    case 'conversation.chat.completed':
      return [{ ...state, isComplete: true }, counted(body)]
    case 'conversation.chat.failed':
    case 'conversation.chat.expired':
      return [state, [{ op: 'error', error: failure(body) }]]
    case 'conversation.chat.canceled':
    case 'conversation.chat.cancelled':
      return [{ ...state, isComplete: true }, [{ op: 'end', status: 'stopped' }]]
    case 'error':
      return [state, [{ op: 'error', error: failure(body) }]]
    case 'done':
    case 'conversation.stream.done':
      return [state, [{ op: 'end' }]]
    case '': {
      // One JSON object instead of a stream.
      const error = cozeError(200, body)
      return [state, error ? [{ op: 'error', error }] : []]
    }
    default:
      return [state, []]
  }
}

function started(chat: JsonObject): ChatOp[] {
  return [
    { op: 'conversation', id: asText(chat['conversation_id']) },
    { op: 'handle', value: asText(chat['id']) },
  ]
}

function deltas(message: JsonObject): ChatOp[] {
  if (message['type'] !== 'answer' || message['content_type'] !== 'text') return []
  const id = asText(message['id'])
  const reasoning = asText(message['reasoning_content'])
  const ops: ChatOp[] = []
  if (reasoning) ops.push({ op: 'reasoning_delta', key: `r:${id}`, delta: reasoning })
  if (asText(message['content'])) ops.push({ op: 'text_delta', key: id, delta: asText(message['content']) })
  return ops
}

function withRequired(state: CozeState, chat: JsonObject): CozeStep {
  const calls = asArray(asObject(asObject(chat['required_action'])['submit_tool_outputs'])['tool_calls']).map(asObject)
  const required = calls
    .filter(({ type }) => type === 'function')
    .map((call) => {
      const { name, arguments: text } = asObject(call['function'])
      return { id: asText(call['id']), name: asText(name) || 'tool', arguments: asText(text) }
    })
  const ops = required.map((call) => requiredOp(call, { status: 'awaiting_answer' }))
  return [{ ...state, required, isComplete: true }, ops]
}

type Progress = { status: 'awaiting_answer' | 'pending' | 'done' | 'error'; output?: unknown; error?: string }

export function requiredOp({ id, name, arguments: text }: RequiredCall, progress: Progress): ChatOp {
  return toolCallOp(`tool:${id}`, { id, name, title: name, input: parseJson(text) ?? text, ...progress })
}

function counted(chat: JsonObject): ChatOp[] {
  const totalTokens = asNumber(asObject(chat['usage'])['token_count'])
  return totalTokens === undefined ? [] : [{ op: 'context', patch: { totalTokens } }]
}

function failure(body: JsonObject) {
  const last = asObject(body['last_error'])
  const reported = last['code'] ? last : body
  return cozeError(0, reported) ?? chatKitError('server', 'Coze ended the chat with a failure.', { cause: body })
}
