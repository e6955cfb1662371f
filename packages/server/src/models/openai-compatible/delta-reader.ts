import type { ModelEvent } from '../../ports.ts'
import type { AnswerMeter } from '../answer-meter.ts'
import { isRecord } from '../shape.ts'
import { createToolCalls } from './tool-calls.ts'

type DeltaOptions = { emit: (event: ModelEvent) => void; newCallId: () => string; meter: AnswerMeter }

/** What there was in a whole answer. */
export type Seen = { hasRefusal: boolean; hasCalls: boolean }

/** Reads the deltas of one answer, in every server's dialect: its thoughts, its text, its calls. */
export function createDeltaReader({ emit, newCallId, meter }: DeltaOptions) {
  const toolCalls = createToolCalls(newCallId, meter)
  let part: 'thinking' | 'text' | null = null
  let reasoningField = ''
  let hasRefusal = false

  function read(delta: Record<string, unknown>) {
    const { content, reasoning_content, reasoning, refusal, tool_calls } = delta
    if (typeof reasoning_content === 'string') onThinking(reasoning_content, 'reasoning_content')
    else if (typeof reasoning === 'string') onThinking(reasoning, 'reasoning')
    if (typeof content === 'string') onText(content)
    else if (Array.isArray(content)) content.forEach(onContentPart)
    if (typeof refusal === 'string' && refusal !== '') {
      hasRefusal = true
      onText(refusal)
    }
    if (!Array.isArray(tool_calls) || tool_calls.length === 0) return
    if (part === 'thinking') endPart()
    for (const call of tool_calls) {
      if (meter.isFull) return
      toolCalls.add(call)
    }
  }

  function onThinking(thought: string, field: string) {
    if (thought === '' || meter.isFull) return
    if (part !== 'thinking') startPart('thinking')
    reasoningField = field
    const delta = meter.fitting(thought)
    if (delta !== '') emit({ type: 'thinking', delta })
  }

  function onText(text: string) {
    if (text === '' || meter.isFull) return
    if (part !== 'text') startPart('text')
    const delta = meter.fitting(text)
    if (delta !== '') emit({ type: 'text', delta })
  }

  /** Mistral's form: a list of text and thinking parts in place of a string. */
  function onContentPart(content: unknown) {
    if (!isRecord(content)) return
    const { type, text, thinking } = content
    if (type === 'text' && typeof text === 'string') onText(text)
    if (type === 'thinking' && Array.isArray(thinking))
      for (const piece of thinking)
        if (isRecord(piece) && typeof piece['text'] === 'string') onThinking(piece['text'], 'content')
  }

  function startPart(next: 'thinking' | 'text') {
    endPart()
    meter.part()
    part = next
  }

  function endPart() {
    if (part === 'text') emit({ type: 'part_end', part })
    if (part === 'thinking') emit({ type: 'part_end', part, metadata: { reasoning_field: reasoningField } })
    part = null
  }

  /** The answer is complete, and so are its calls. */
  function finish(): Seen {
    endPart()
    const calls = toolCalls.finished()
    calls.forEach(emit)
    return { hasRefusal, hasCalls: calls.length > 0 }
  }

  return { read, endPart, finish }
}
