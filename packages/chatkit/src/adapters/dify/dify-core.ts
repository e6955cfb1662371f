import { chatKitError } from '../../model/chat-kit-error.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import type { EventCore } from '../../stream/event-core.ts'
import type { StreamEvent } from '../../stream/event-parser.ts'
import { asObject, asText, type JsonObject, parseJson } from '../../stream/parse-json.ts'
import type { ToolParsers } from '../tool-ops.ts'
import { endOps, fileOp, workflowOps } from './dify-end.ts'
import { difyError } from './dify-error.ts'
import { closeForm, formOp } from './dify-form.ts'
import { thoughtToolOps } from './dify-thought.ts'
import { logOps, nodeOps } from './dify-workflow.ts'

export type DifyState = {
  isStarted: boolean
  taskID: string
  /** The agent step under way; `null` before the first. */
  thought: string | null
  /** Number of the open text segment. */
  segment: number
  /** What the open segment shows came from `thought`, or from deltas. */
  filledBy: 'nothing' | 'thought' | 'deltas'
  /** A workflow ended well; the connection may end without `message_end`. */
  isComplete: boolean
  form: ChatOp | null
}

export type DifyCoreOptions = { locale?: string; showWorkflow?: boolean; toolParsers?: ToolParsers }
type Setting = Required<DifyCoreOptions>
type Step = readonly [DifyState, readonly ChatOp[]]

export function difyCore(options: DifyCoreOptions = {}): EventCore<DifyState> {
  const setting = { locale: 'en', showWorkflow: false, toolParsers: {}, ...options }
  return {
    initial: {
      isStarted: false,
      taskID: '',
      thought: null,
      segment: 0,
      filledBy: 'nothing',
      isComplete: false,
      form: null,
    },
    step: (state, event) => step(state, event, setting),
    finish: ({ isComplete }) => [
      isComplete
        ? { op: 'end' }
        : { op: 'error', error: chatKitError('network', 'The connection ended before the answer was complete.') },
    ],
  }
}

function step(state: DifyState, { event, data }: StreamEvent, setting: Setting): Step {
  if (event === 'ping' && data === '') return [state, []]
  const value = parseJson(data)
  if (value === undefined) return [state, []]
  const frame = asObject(value)
  const type = asText(frame['event'])
  const isError = type === 'error' || type === '' || (typeof frame['status'] === 'number' && frame['status'] >= 400)
  if (type === 'ping') return [state, []]
  const [started, naming] = withNames(state, frame)
  if (isError) return [started, [...naming, { op: 'error', error: failure(frame) }]]
  const [next, ops] = stepFrame(started, frame, setting)
  return [next, [...naming, ...ops]]
}

function withNames(state: DifyState, frame: JsonObject): Step {
  const taskID = asText(frame['task_id'])
  const conversation = asText(frame['conversation_id'])
  if (state.isStarted || (!taskID && !conversation)) return [state, []]
  const ops: ChatOp[] = []
  if (conversation) ops.push({ op: 'conversation', id: conversation })
  if (asText(frame['message_id'])) ops.push({ op: 'message', id: asText(frame['message_id']) })
  if (taskID) ops.push({ op: 'handle', value: taskID })
  return [{ ...state, isStarted: true, taskID }, ops]
}

function stepFrame(state: DifyState, frame: JsonObject, setting: Setting): Step {
  const type = asText(frame['event'])
  const data = asObject(frame['data'])
  switch (type) {
    case 'message':
    case 'agent_message':
      return withDelta(state, asText(frame['answer']))
    case 'agent_thought':
      return withThought(state, frame, setting)
    case 'message_file':
      return [state, frame['belongs_to'] === 'assistant' ? [fileOp(frame)] : []]
    case 'message_replace':
      return [state, replaced(state, asText(frame['answer']))]
    case 'reasoning_chunk': {
      const key = `reasoning:${asText(data['node_id'])}`
      return [state, [{ op: 'reasoning_delta', key, delta: asText(data['reasoning']) }]]
    }
    case 'workflow_finished': {
      const { isComplete, ops } = workflowOps(data)
      return [{ ...state, isComplete: isComplete || state.isComplete }, ops]
    }
    case 'human_input_required': {
      const form = formOp(data, state.taskID)
      return [{ ...state, form, isComplete: true }, [form]]
    }
    case 'workflow_paused':
      return [state, [...(data['form_id'] && !state.form ? [formOp(data, state.taskID)] : []), { op: 'end' }]]
    case 'human_input_form_filled':
      return [state, state.form ? [closeForm(state.form, 'answered')] : []]
    case 'human_input_form_timeout':
      return [state, state.form ? [closeForm(state.form, 'cancelled')] : []]
    case 'message_end':
      return [{ ...state, isComplete: true }, endOps(frame)]
    case 'agent_log':
      return [state, setting.showWorkflow ? logOps(data) : []]
    default:
      return [state, setting.showWorkflow ? nodeOps(type, data) : []]
  }
}

function withDelta(state: DifyState, delta: string): Step {
  const key = `text:${state.segment}`
  if (delta === '') return [state, []]
  // The step's own text had been taken from the thought: the stream says it again, from the beginning.
  if (state.filledBy === 'thought') return [{ ...state, filledBy: 'deltas' }, [{ op: 'text', key, text: delta }]]
  return [{ ...state, filledBy: 'deltas' }, [{ op: 'text_delta', key, delta }]]
}

function withThought(state: DifyState, frame: JsonObject, setting: Setting): Step {
  const id = asText(frame['id'])
  const isNewStep = state.thought !== null && state.thought !== id
  const current: DifyState = isNewStep
    ? { ...state, thought: id, segment: state.segment + 1, filledBy: 'nothing' }
    : { ...state, thought: id }
  const text = asText(frame['thought'])
  const isNeeded = text !== '' && current.filledBy !== 'deltas'
  const shown: ChatOp[] = isNeeded ? [{ op: 'text', key: `text:${current.segment}`, text }] : []
  const filledBy = isNeeded ? 'thought' : current.filledBy
  return [{ ...current, filledBy }, [...shown, ...thoughtToolOps(frame, setting)]]
}

/** Moderation replaced the answer: the first segment gets it, later ones are emptied. */
function replaced({ segment }: DifyState, answer: string): ChatOp[] {
  return Array.from({ length: segment + 1 }, (_, index): ChatOp => {
    return { op: 'text', key: `text:${index}`, text: index === 0 ? answer : '' }
  })
}

function failure(frame: JsonObject) {
  return difyError(0, frame) ?? chatKitError('server', 'Dify sent a frame that is neither an event nor an error.')
}
