import type { ToolCallProjection } from '@parley/protocol'
import type { AnsweredQuestion, AnswerState, QuestionItem } from '../../model/agent-blocks.ts'
import { BlockType } from '../../model/block-type.ts'
import type { Block } from '../../model/chat-message.ts'
import { asArray, asObject, asText, type JsonObject } from '../../stream/parse-json.ts'

/** An `AskUserQuestion` call: a form, or a card when it stands for a call of the same turn that waits for consent. */
export function questionBlock(
  call: ToolCallProjection,
  input: JsonObject,
  calls: readonly ToolCallProjection[],
): Block {
  const state = stateOf(call.status)
  if (input['confirmation']) {
    const card = asObject(input['confirmation'])
    const title = calls.find(({ id }) => id === card['tool_call_id'])?.display_name ?? asText(card['tool_name'])
    return confirmationBlock(call, { ...card, title }, input)
  }
  const askedBy = asText(asObject(input['source_loop'])['description'])
  const answers = asArray(asObject(call.result)['answers']).map((answer) => answeredOf(asObject(answer)))
  const content = {
    questionID: call.id,
    questions: asArray(input['questions']).map((question) => itemOf(asObject(question))),
    state,
    ...(state === 'answered' && { answers }),
    ...(askedBy && { askedBy }),
  }
  return { type: BlockType.Question, key: call.id, content }
}

function confirmationBlock(call: ToolCallProjection, card: JsonObject, input: JsonObject): Block {
  const params = asObject(card['arguments'])
  const risk = asText(card['risk'])
  const [question] = asArray(input['questions'])
  const state = stateOf(call.status)
  const [answer] = asArray(asObject(call.result)['answers']).map((one) => answeredOf(asObject(one)))
  const consent = asText(asObject(asArray(asObject(question)['options'])[0])['label'])
  const content = {
    confirmationId: asText(card['id']),
    message: asText(asObject(question)['question']),
    title: asText(card['title']),
    action: { type: asText(card['tool_name']), target: targetOf(params), params },
    risk: risk === 'low' || risk === 'high' ? risk : 'medium',
    preview: asText(card['preview']),
    arguments: params,
    digest: asText(card['digest']),
    ...(card['reason'] ? { reason: card['reason'] } : {}),
    ...(card['change'] ? { change: card['change'] } : {}),
    expiresAt: asText(card['expires_at']),
    editable: true,
    ...(card['may_decide'] === false && { isForOthers: true }),
    state,
    ...(state === 'answered' && { approved: answer?.selected.includes(consent) ?? false }),
  }
  return { type: BlockType.Confirmation, key: call.id, content }
}

function stateOf(status: ToolCallProjection['status']): AnswerState {
  if (status === 'awaiting_answer' || status === 'pending') return 'waiting'
  return status === 'done' ? 'answered' : 'cancelled'
}

function itemOf(question: JsonObject): QuestionItem {
  const header = asText(question['header'])
  return {
    question: asText(question['question']),
    options: asArray(question['options']).map((option) => {
      const { label, description } = asObject(option)
      return { label: asText(label), ...(description ? { description: asText(description) } : {}) }
    }),
    ...(header && { header }),
    ...(question['multiSelect'] === true && { multiSelect: true }),
  }
}

function answeredOf(answer: JsonObject): AnsweredQuestion {
  const header = asText(answer['header'])
  const custom = asText(answer['custom'])
  return {
    question: asText(answer['question']),
    selected: asArray(answer['selected']).map(asText),
    ...(header && { header }),
    ...(custom && { custom }),
  }
}

function targetOf(params: JsonObject): string {
  const target = params['target'] ?? params['name'] ?? params['file_path'] ?? params['command']
  return typeof target === 'string' ? target : ''
}
