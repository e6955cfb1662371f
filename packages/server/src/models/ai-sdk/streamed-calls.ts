import type { LanguageModelV4ToolCall } from '@ai-sdk/provider'
import type { ModelEvent } from '../../ports.ts'
import type { AnswerMeter } from '../answer-meter.ts'
import { idIn, metadataIn, nameIn } from '../shape.ts'

/**
 * Counts the arguments of calls while they stream, and makes a call of ours of one that is complete. The packages hold
 * what streams until then, so it counts from its first character.
 */
export function createStreamedCalls(newCallId: () => string, meter: AnswerMeter) {
  /** How much of its arguments each call has streamed. */
  const streamed = new Map<string, number>()
  const callIds = new Set<string>()

  return {
    begin(id: string) {
      meter.call()
      streamed.set(id, 0)
    },

    grow(id: string, characters: number) {
      const whole = (streamed.get(id) ?? 0) + characters
      streamed.set(id, whole)
      meter.arguments(characters, whole)
    },

    /** Some packages hand out a call that never streamed. */
    complete({ toolCallId, toolName, input, providerMetadata }: LanguageModelV4ToolCall): ModelEvent {
      const counted = streamed.get(toolCallId)
      if (counted === undefined) meter.call()
      meter.arguments(Math.max(0, input.length - (counted ?? 0)), input.length)
      const metadata = providerMetadata && metadataIn(providerMetadata, meter)
      const given = idIn(toolCallId)
      // Two results under one id would be refused, now and in every later request of the session.
      const id = given === '' || callIds.has(given) ? newCallId() : given
      callIds.add(id)
      const call = { id, name: nameIn(toolName), arguments: input }
      return { type: 'tool_call', call, ...(metadata ? { metadata } : {}) }
    },

    /** Whether any call is complete. */
    hasAny: () => callIds.size > 0,
  }
}
