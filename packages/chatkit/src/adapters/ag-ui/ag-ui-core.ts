import { BlockType } from '../../model/block-type.ts'
import type { Block } from '../../model/chat-message.ts'
import { chatKitError } from '../../model/chat-kit-error.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import type { EventCore } from '../../stream/event-core.ts'
import type { StreamEvent } from '../../stream/event-parser.ts'
import { asObject, asText, type JsonObject, parseJson } from '../../stream/parse-json.ts'
import { toolCallOp, type ToolParsers } from '../tool-ops.ts'
import { finishedOps } from './ag-ui-interrupt.ts'
import { fromWire } from './ag-ui-messages.ts'
import { applyJsonPatch } from './json-patch.ts'

export type AgUiState = {
  /** The message and the call that chunks without an id go on with. */
  textID: string
  callID: string
  /** Messages of other roles than the assistant's; they are not shown. */
  hidden: readonly string[]
  calls: Readonly<Record<string, { name: string; arguments: string }>>
  activities: Readonly<Record<string, { type: string; content: unknown }>>
  /** The agent's shared state, for the host page. */
  shared: unknown
  /** Custom events so far; makes their ids. */
  customs: number
}

export type AgUiCoreOptions = {
  locale?: string
  runID?: string
  showSteps?: boolean
  toolParsers?: ToolParsers
  /** Blocks for the host's own activity types. */
  activities?: Record<string, (content: unknown) => Block | undefined>
}
type Setting = Required<AgUiCoreOptions>
type Step = readonly [AgUiState, readonly ChatOp[]]

export function agUiCore(options: AgUiCoreOptions = {}): EventCore<AgUiState> {
  const setting = { locale: 'en', runID: '', showSteps: false, toolParsers: {}, activities: {}, ...options }
  return {
    initial: { textID: '', callID: '', hidden: [], calls: {}, activities: {}, shared: undefined, customs: 0 },
    step: (state, event) => step(state, event, setting),
    finish: () => [
      { op: 'error', error: chatKitError('network', 'The connection ended before the run was finished.') },
    ],
  }
}

function step(state: AgUiState, { data }: StreamEvent, setting: Setting): Step {
  const event = asObject(parseJson(data))
  switch (event['type']) {
    case 'RUN_STARTED':
      return [state, [{ op: 'conversation', id: asText(event['threadId']) }]]
    case 'TEXT_MESSAGE_START':
    case 'TEXT_MESSAGE_CONTENT':
    case 'TEXT_MESSAGE_CHUNK':
      return withText(state, event)
    case 'REASONING_MESSAGE_CONTENT':
    case 'REASONING_MESSAGE_CHUNK':
    case 'THINKING_TEXT_MESSAGE_CONTENT': {
      const key = `reasoning:${asText(event['messageId'])}`
      return [state, [{ op: 'reasoning_delta', key, delta: asText(event['delta']) }]]
    }
    case 'TOOL_CALL_START':
    case 'TOOL_CALL_ARGS':
    case 'TOOL_CALL_CHUNK':
      return withCall(state, event)
    case 'TOOL_CALL_END':
    case 'TOOL_CALL_RESULT':
      return [state, callOps(state, event, setting)]
    case 'STEP_STARTED':
      return [state, setting.showSteps ? [stepNotice(asText(event['stepName']))] : []]
    case 'ACTIVITY_SNAPSHOT':
    case 'ACTIVITY_DELTA':
      return withActivity(state, event, setting)
    case 'STATE_SNAPSHOT':
      return [{ ...state, shared: event['snapshot'] }, []]
    case 'STATE_DELTA':
      return [{ ...state, shared: applyJsonPatch(state.shared, event['delta']) }, []]
    case 'MESSAGES_SNAPSHOT':
      return [state, [{ op: 'messages', messages: fromWire(event['messages'], setting.locale, setting.toolParsers) }]]
    case 'CUSTOM': {
      const id = `${setting.runID}:custom:${state.customs}`
      const bridge: ChatOp = { op: 'bridge', action: asText(event['name']), payload: event['value'], id }
      return [{ ...state, customs: state.customs + 1 }, [bridge]]
    }
    case 'RUN_FINISHED':
      return [state, finishedOps(event)]
    case 'RUN_ERROR':
      return [state, [{ op: 'error', error: failure(event) }]]
    default:
      return [state, []]
  }
}

function withText(state: AgUiState, event: JsonObject): Step {
  const textID = asText(event['messageId']) || state.textID
  const role = asText(event['role'])
  const isHidden = role !== '' && role !== 'assistant'
  const hidden = isHidden && !state.hidden.includes(textID) ? [...state.hidden, textID] : state.hidden
  const delta = asText(event['delta'])
  const ops: ChatOp[] = delta && !hidden.includes(textID) ? [{ op: 'text_delta', key: textID, delta }] : []
  return [{ ...state, textID, hidden }, ops]
}

function withCall(state: AgUiState, event: JsonObject): Step {
  const callID = asText(event['toolCallId']) || state.callID
  const before = state.calls[callID] ?? { name: '', arguments: '' }
  const name = before.name || asText(event['toolCallName'])
  const call = { name, arguments: before.arguments + asText(event['delta']) }
  const title = name || 'tool'
  // Text until it is whole: parsing half of it again and again would be quadratic.
  const op = toolCallOp(callID, { id: callID, name: title, title, input: call.arguments, status: 'pending' })
  return [{ ...state, callID, calls: { ...state.calls, [callID]: call } }, [op]]
}

/** What is known of a call once its arguments are whole, or its result is there. */
function callOps({ calls }: AgUiState, event: JsonObject, { toolParsers }: Setting): ChatOp[] {
  const id = asText(event['toolCallId'])
  const call = calls[id]
  const output = event['type'] === 'TOOL_CALL_RESULT' ? event['content'] : undefined
  const title = call?.name || 'tool'
  const known = { id, name: title, title, input: call && (parseJson(call.arguments) ?? call.arguments) }
  if (output === undefined) return call ? [toolCallOp(id, { ...known, status: 'pending' })] : []
  return [toolCallOp(id, { ...known, output, status: 'done' }, toolParsers)]
}

function withActivity(state: AgUiState, event: JsonObject, { activities }: Setting): Step {
  const id = asText(event['messageId'])
  const before = state.activities[id]
  const type = asText(event['activityType']) || (before?.type ?? '')
  const isDelta = event['type'] === 'ACTIVITY_DELTA'
  const content = isDelta ? applyJsonPatch(before?.content, event['patch']) : event['content']
  const block = activities[type]?.(content)
  const next = { ...state, activities: { ...state.activities, [id]: { type, content } } }
  return [next, block ? [{ op: 'block', block: { ...block, key: `activity:${id}` } }] : []]
}

function stepNotice(text: string): ChatOp {
  return { op: 'block', block: { type: BlockType.Notice, key: `step:${text}`, content: { text, level: 'info' } } }
}

function failure(event: JsonObject) {
  const platformCode = asText(event['code'])
  return chatKitError('server', `The agent reported an error${platformCode && `: ${platformCode}`}.`, {
    cause: event,
    ...(platformCode && { platformCode }),
  })
}
