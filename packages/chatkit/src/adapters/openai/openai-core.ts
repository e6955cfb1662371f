import { BlockType } from '../../model/block-type.ts'
import { chatKitError } from '../../model/chat-kit-error.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import type { ToolStatus } from '../../model/tool-block.ts'
import { type ChatTexts, textsOf } from '../../model/texts.ts'
import type { EventCore } from '../../stream/event-core.ts'
import type { StreamEvent } from '../../stream/event-parser.ts'
import { asArray, asNumber, asObject, asText, type JsonObject, parseJson } from '../../stream/parse-json.ts'
import { openaiError } from './openai-error.ts'

/** A call as its pieces have come so far. */
export type OpenAICall = { id: string; name: string; arguments: string }

export type OpenAIState = {
  isNamed: boolean
  /** Number of the text segment; text after a tool call is a new one. */
  segment: number
  hasTextClosed: boolean
  calls: Readonly<Record<number, OpenAICall>>
  finishReason: string
}

/** `round` keeps the blocks of one request apart from those of the requests before it in the same run. */
export function openaiCore(locale = 'en', round = 0): EventCore<OpenAIState> {
  const texts = textsOf(locale)
  return {
    initial: { isNamed: round > 0, segment: round * 1000, hasTextClosed: false, calls: {}, finishReason: '' },
    step: (state, event) => step(state, event, { texts, round }),
    finish: ({ finishReason }) => [finishReason ? { op: 'end' } : { op: 'error', error: cutOff() }],
  }
}

type Setting = { texts: ChatTexts; round: number }
type Step = readonly [OpenAIState, readonly ChatOp[]]

function step(state: OpenAIState, { data }: StreamEvent, setting: Setting): Step {
  if (data.trim() === '[DONE]') return [state, [{ op: 'end' }]]
  const chunk = asObject(parseJson(data))
  if (chunk['error']) return [state, [{ op: 'error', error: openaiError(0, chunk)! }]]
  const choice = asObject(asArray(chunk['choices']).find((one) => (asNumber(asObject(one)['index']) ?? 0) === 0))
  const parts = [
    (before: OpenAIState) => named(before, asText(chunk['id'])),
    (before: OpenAIState) => withDelta(before, asObject(choice['delta'] ?? choice['message']), setting),
    (before: OpenAIState) => finished(before, asText(choice['finish_reason']), setting),
    (before: OpenAIState) => counted(before, asObject(chunk['usage'])),
  ]
  return parts.reduce<Step>(
    ([before, ops], part) => {
      const [after, more] = part(before)
      return [after, [...ops, ...more]]
    },
    [state, []],
  )
}

function named(state: OpenAIState, id: string): Step {
  return state.isNamed || !id ? [state, []] : [{ ...state, isNamed: true }, [{ op: 'message', id }]]
}

function withDelta(state: OpenAIState, delta: JsonObject, { round }: Setting): Step {
  const reasoning = asText(delta['reasoning_content']) || asText(delta['reasoning'])
  const text = asText(delta['content']) + asText(delta['refusal'])
  const ops: ChatOp[] = []
  let next = state
  if (reasoning) ops.push({ op: 'reasoning_delta', key: `reasoning:${round}`, delta: reasoning })
  if (text) {
    if (next.hasTextClosed) next = { ...next, segment: next.segment + 1, hasTextClosed: false }
    ops.push({ op: 'text_delta', key: String(next.segment), delta: text })
  }
  for (const piece of asArray(delta['tool_calls'])) {
    const { index, call } = joined(next.calls, asObject(piece))
    next = { ...next, calls: { ...next.calls, [index]: call }, hasTextClosed: true }
    // The arguments stay text until they are whole: parsing half of them again and again would be quadratic.
    ops.push(toolOp(call, { key: callKey(round, index), status: 'pending', input: call.arguments }))
  }
  return [next, ops]
}

function joined(calls: OpenAIState['calls'], piece: JsonObject): { index: number; call: OpenAICall } {
  const index = asNumber(piece['index']) ?? Object.keys(calls).length
  const before = calls[index] ?? { id: '', name: '', arguments: '' }
  const { name, arguments: text } = asObject(piece['function'])
  const call = {
    id: before.id || asText(piece['id']),
    name: before.name || asText(name),
    arguments: before.arguments + asText(text),
  }
  return { index, call }
}

function finished(state: OpenAIState, reason: string, { texts, round }: Setting): Step {
  if (!reason) return [state, []]
  const whole = Object.entries(state.calls).map(([index, call]) =>
    toolOp(call, { key: callKey(round, Number(index)), status: 'pending', input: inputOf(call) }),
  )
  const text = { length: texts.answerCutOff, content_filter: texts.answerFiltered }[reason]
  const notice: ChatOp[] = text
    ? [{ op: 'block', block: { type: BlockType.Notice, key: 'finish', content: { text, level: 'warning' } } }]
    : []
  return [{ ...state, finishReason: reason }, [...whole, ...notice]]
}

function counted(state: OpenAIState, usage: JsonObject): Step {
  const totalTokens = asNumber(usage['total_tokens'])
  return [state, totalTokens === undefined ? [] : [{ op: 'context', patch: { totalTokens } }]]
}

/** What the model asked the tool for: the parsed arguments, or their text when they are not JSON. */
export function inputOf({ arguments: text }: OpenAICall): unknown {
  return parseJson(text) ?? text
}

export function callKey(round: number, index: number): string {
  return `tool:${round}:${index}`
}

type ToolParts = { key: string; status: ToolStatus; input: unknown; output?: unknown; error?: string }

export function toolOp({ id, name }: OpenAICall, { key, ...parts }: ToolParts): ChatOp {
  const content = { name: name || 'tool', title: name || 'tool', ...(id && { id }), ...parts }
  return { op: 'block', block: { type: BlockType.Tool, key, content } }
}

function cutOff() {
  return chatKitError('network', 'The connection ended before the answer was complete.')
}
