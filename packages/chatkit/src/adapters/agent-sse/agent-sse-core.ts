import type { ConfirmationCard } from '../../model/agent-blocks.ts'
import { BlockType } from '../../model/block-type.ts'
import { chatKitError } from '../../model/chat-kit-error.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { type ChatTexts, textsOf } from '../../model/texts.ts'
import type { EventCore } from '../../stream/event-core.ts'
import type { StreamEvent } from '../../stream/event-parser.ts'
import { asArray, asNumber, asObject, asText, type JsonObject, parseJson } from '../../stream/parse-json.ts'
import { toolCallOp, type ToolParsers } from '../tool-ops.ts'
import { agentSseFailure } from './agent-sse-error.ts'

export type AgentSseState = {
  /** Number of the text segment; every iteration opens a new one. */
  segment: number
  calls: Readonly<Record<string, { name: string; input: unknown }>>
}

type Step = readonly [AgentSseState, readonly ChatOp[]]
type Setting = { texts: ChatTexts; toolParsers: ToolParsers }

export function agentSseCore(locale = 'en', toolParsers: ToolParsers = {}): EventCore<AgentSseState> {
  const setting = { texts: textsOf(locale), toolParsers }
  return {
    initial: { segment: 0, calls: {} },
    step: (state, event) => step(state, event, setting),
    finish: () => [
      { op: 'error', error: chatKitError('network', 'The connection ended before the answer was complete.') },
    ],
  }
}

function step(state: AgentSseState, event: StreamEvent, setting: Setting): Step {
  const frame = asObject(parseJson(event.data))
  const data = asObject(frame['data'])
  switch (asText(frame['type']) || event.event) {
    case 'processing_started':
      return [
        state,
        [
          { op: 'conversation', id: asText(frame['sessionId']) },
          { op: 'handle', value: asText(data['messageId']) },
        ],
      ]
    case 'iteration_started':
      return [{ ...state, segment: state.segment + 1 }, []]
    case 'content_chunk':
      return [state, [{ op: 'text_delta', key: `text:${state.segment}`, delta: asText(data['content']) }]]
    case 'tool_call_started':
      return started(state, data)
    case 'tool_call_completed':
      return [state, [ended(callOf(state, data), { status: 'done', output: data['result'] }, setting)]]
    case 'tool_error':
      return [state, [ended(callOf(state, data), { status: 'error', error: asText(data['error']) }, setting)]]
    case 'knowledge_retrieved':
      return [state, [knowledge(data, setting)]]
    case 'confirmation_required':
      return [state, [confirmation(data), { op: 'end' }]]
    case 'max_iterations':
      return [state, [notice('limit', setting.texts.limitReached, 'warning')]]
    case 'completed': {
      const ms = asNumber(data['totalDuration'])
      const numbers: ChatOp[] = ms === undefined ? [] : [{ op: 'context', patch: { elapsedSeconds: ms / 1000 } }]
      return [state, [...numbers, { op: 'end' }]]
    }
    case 'cancelled':
      return [state, [{ op: 'end', status: 'stopped' }]]
    case 'error':
      return [state, [{ op: 'error', error: agentSseFailure(data) }]]
    default:
      return [state, []]
  }
}

function started(state: AgentSseState, data: JsonObject): Step {
  const id = asText(data['toolCallId'])
  const call = { name: asText(data['toolName']), input: data['arguments'] }
  const op = toolCallOp(id, { id, title: call.name, ...call, status: 'pending' })
  return [{ ...state, calls: { ...state.calls, [id]: call } }, [op]]
}

type End = { status: 'done'; output: unknown } | { status: 'error'; error: string }

function callOf({ calls }: AgentSseState, data: JsonObject) {
  const id = asText(data['toolCallId'])
  const { name, input } = calls[id] ?? { name: asText(data['toolName']), input: undefined }
  const durationMs = asNumber(data['duration'])
  return { id, title: name, name, input, ...(durationMs !== undefined && { durationMs }) }
}

function ended(call: ReturnType<typeof callOf>, end: End, { toolParsers }: Setting): ChatOp {
  return toolCallOp(call.id, { ...call, ...end }, toolParsers)
}

function knowledge(data: JsonObject, { texts }: Setting): ChatOp {
  const documents = asArray(data['documents']).map(asObject)
  const count = asNumber(data['documentCount']) ?? documents.length
  if (documents.length === 0) return notice('knowledge', texts.documentsFound(count), 'info')
  const sources = documents.map(({ id, title, category, score }) => {
    const rank = asNumber(score)
    const source = { title: asText(title) || asText(id), content: '', media: asText(category), link: '', icon: '' }
    // Found for the question: which of them the answer's numbers mean is not told.
    return { ...source, position: 0, ...(rank !== undefined && { score: rank }) }
  })
  return { op: 'block', block: { type: BlockType.Sources, key: 'knowledge', content: sources } }
}

function confirmation(data: JsonObject): ChatOp {
  const pending = asObject(data['pendingConfirmation'])
  const action = asObject(data['action'])
  const expiresAt = asText(pending['expiresAt'])
  const risk = asText(data['risk'])
  const card: ConfirmationCard = {
    confirmationId: asText(pending['confirmationId']),
    message: asText(data['message']),
    action: { type: asText(action['type']), target: targetOf(action), params: asObject(action['params']) },
    risk: risk === 'low' || risk === 'high' ? risk : 'medium',
    preview: asText(data['preview']),
    arguments: asObject(pending['arguments']),
    state: 'waiting',
    ...(expiresAt && { expiresAt }),
  }
  const key = `confirmation:${card.confirmationId}`
  return { op: 'block', block: { type: BlockType.Confirmation, key, content: card } }
}

function notice(key: string, text: string, level: 'info' | 'warning'): ChatOp {
  return { op: 'block', block: { type: BlockType.Notice, key, content: { text, level } } }
}

/** A call whose arguments name no target has "unknown" for one. */
function targetOf({ target }: JsonObject): string {
  return target === 'unknown' ? '' : asText(target)
}
