import { BlockType } from '../../model/block-type.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { asArray, asNumber, asObject, asText, type JsonObject, parseJson } from '../../stream/parse-json.ts'
import { toolCallOp, type ToolParsers } from '../tool-ops.ts'
import type { CozeState, CozeStep, WaitingCall } from './coze-state.ts'

/** What a completed message of the stream, or of the history, shows. */
export function cozeMessageOps(state: CozeState, message: JsonObject, toolParsers: ToolParsers): CozeStep {
  switch (message['type']) {
    case 'answer':
      return answer(state, message)
    case 'function_call':
      return called(state, message)
    case 'tool_response':
    case 'tool_output':
      return returned(state, message, toolParsers)
    case 'knowledge':
      return [state, [knowledge(message)]]
    case 'follow_up': {
      const questions = [...state.questions, asText(message['content'])]
      return [{ ...state, questions }, [{ op: 'context', patch: { relatedQuestions: questions } }]]
    }
    default:
      return [state, []]
  }
}

function answer(state: CozeState, message: JsonObject): CozeStep {
  const id = asText(message['id'])
  const naming: ChatOp[] = state.isNamed || !id ? [] : [{ op: 'message', id }]
  const reasoning = asText(message['reasoning_content'])
  const thought: ChatOp[] = reasoning ? [{ op: 'reasoning', key: `r:${id}`, text: reasoning }] : []
  return [{ ...state, isNamed: true }, [...naming, ...thought, ...contentOps(id, message)]]
}

function contentOps(id: string, message: JsonObject): ChatOp[] {
  const content = asText(message['content'])
  if (message['content_type'] === 'card') {
    const card = { name: 'card', title: 'card', input: content, status: 'done' } as const
    return [{ op: 'block', block: { type: BlockType.Tool, key: id, content: card } }]
  }
  if (message['content_type'] !== 'object_string') return [{ op: 'text', key: id, text: content }]
  return asArray(parseJson(content)).map((part, index): ChatOp => {
    const { type, text, file_url, name, size } = asObject(part)
    const key = `${id}:${index}`
    if (type === 'text') return { op: 'text', key, text: asText(text) }
    const url = asText(file_url)
    const bytes = asNumber(size)
    const mediaType = type === 'image' ? { mediaType: 'image/*' } : {}
    const file = { name: asText(name) || asText(type) || 'file', ...(url && { url }), ...mediaType }
    return { op: 'block', block: { type: BlockType.File, key, content: { ...file, ...(bytes && { size: bytes }) } } }
  })
}

/** `content` is a JSON string; one that does not parse is shown as it came. */
function called(state: CozeState, message: JsonObject): CozeStep {
  const id = asText(message['id'])
  const text = asText(message['content'])
  const call = parseJson(text)
  const { name, arguments: input } = asObject(call)
  const waiting: WaitingCall = { key: id, name: asText(name) || 'tool', input: call === undefined ? text : input }
  const op = toolCallOp(id, { id, name: waiting.name, title: waiting.name, input: waiting.input, status: 'pending' })
  return [{ ...state, waiting: [...state.waiting, waiting] }, [op]]
}

function returned(state: CozeState, message: JsonObject, toolParsers: ToolParsers): CozeStep {
  const [call, ...waiting] = state.waiting
  const id = asText(message['id'])
  const { key, name, input } = call ?? { key: id, name: 'tool', input: undefined }
  const output = outputOf(asText(message['content']))
  const done = { id: key, name, title: name, input, output, status: 'done' } as const
  return [{ ...state, waiting }, [toolCallOp(key, done, toolParsers)]]
}

/** Often wrapped for the model: `{ content_type, response_for_model, type_for_model }`. */
function outputOf(content: string): unknown {
  const value = parseJson(content) ?? content
  const { response_for_model: inner } = asObject(value)
  return typeof inner === 'string' ? (parseJson(inner) ?? inner) : (inner ?? value)
}

function knowledge(message: JsonObject): ChatOp {
  const source = { title: '', link: '', content: asText(message['content']), media: '', icon: '' }
  return { op: 'block', block: { type: BlockType.Sources, key: asText(message['id']), content: [source] } }
}
