import { BlockType } from '../../model/block-type.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { asArray, asNumber, asObject, asText, type JsonObject } from '../../stream/parse-json.ts'

/** `RUN_FINISHED`: what the run waits for, how many tokens it took, and the end. */
export function finishedOps(event: JsonObject): ChatOp[] {
  const { type, interrupts } = asObject(event['outcome'])
  const usages = Array.isArray(event['usage']) ? event['usage'] : [event['usage']]
  const totalTokens = usages.map(asObject).reduce((sum, usage) => sum + tokensOf(usage), 0)
  return [
    ...(type === 'interrupt' ? asArray(interrupts).map((one) => interruptOp(asObject(one))) : []),
    ...(totalTokens > 0 ? [{ op: 'context', patch: { totalTokens } } as const] : []),
    { op: 'end' },
  ]
}

function tokensOf(usage: JsonObject): number {
  const total = asNumber(usage['totalTokens']) ?? asNumber(usage['total_tokens'])
  const input = asNumber(usage['inputTokens']) ?? asNumber(usage['input_tokens']) ?? 0
  const output = asNumber(usage['outputTokens']) ?? asNumber(usage['output_tokens']) ?? 0
  return total ?? input + output
}

/** Consent to a tool call is a confirmation, everything else a question. */
function interruptOp(interrupt: JsonObject): ChatOp {
  const id = asText(interrupt['id'])
  const message = asText(interrupt['message'])
  const reason = asText(interrupt['reason'])
  const key = `interrupt:${id}`
  if (!/tool_call|confirm|approv/i.test(reason)) {
    const form = { questionID: id, questions: [{ question: message, options: [] }], state: 'waiting' }
    return { op: 'block', block: { type: BlockType.Question, key, content: form } }
  }
  const expiresAt = asText(interrupt['expiresAt'])
  const card = {
    confirmationId: id,
    message,
    action: { type: reason, target: asText(interrupt['toolCallId']), params: asObject(interrupt['metadata']) },
    risk: 'medium',
    preview: message,
    state: 'waiting',
    ...(expiresAt && { expiresAt }),
  }
  return { op: 'block', block: { type: BlockType.Confirmation, key, content: card } }
}
