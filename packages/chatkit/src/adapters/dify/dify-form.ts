import type { AnswerState, QuestionForm } from '../../model/agent-blocks.ts'
import { BlockType } from '../../model/block-type.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { asArray, asObject, asText, type JsonObject } from '../../stream/parse-json.ts'

/** What is needed to answer a form, in one string. */
export function formID(taskID: string, formToken: string): string {
  return JSON.stringify([taskID, formToken])
}

export function readFormID(id: string): { taskID: string; formToken: string } {
  const [taskID, formToken] = JSON.parse(id) as [string, string]
  return { taskID, formToken }
}

/** A workflow that waits for a person. */
export function formOp(data: JsonObject, taskID: string): ChatOp {
  const inputs = asArray(data['inputs']).map(asObject)
  const content = asText(data['form_content'])
  const title = asText(data['node_title'])
  const asked = inputs.length > 0 ? inputs : [{}]
  const form: QuestionForm = {
    questionID: formID(taskID, asText(data['form_token'])),
    questions: asked.map((input, index) => ({
      question: index === 0 && content ? content : asText(asObject(input)['output_variable_name']),
      options: asArray(asObject(input)['options']).map((option) => ({ label: asText(option) })),
      ...(title && { header: title }),
    })),
    state: 'waiting',
    actions: asArray(data['actions']).map((action) => {
      const { id, title } = asObject(action)
      return { id: asText(id), title: asText(title) }
    }),
  }
  return { op: 'block', block: { type: BlockType.Question, key: `form:${asText(data['form_id'])}`, content: form } }
}

export function closeForm(op: ChatOp, state: AnswerState): ChatOp {
  if (op.op !== 'block' || op.block.type !== BlockType.Question) return op
  return { op: 'block', block: { ...op.block, content: { ...(op.block.content as QuestionForm), state } } }
}
