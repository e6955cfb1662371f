import { BlockType } from '../../model/block-type.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { RoleType } from '../../model/role.ts'
import { textOfMessage } from '../../model/text-of-message.ts'
import { textsOf } from '../../model/texts.ts'
import { applyOps } from '../../store/apply-ops.ts'
import { asArray, asObject, asText, type JsonObject, parseJson } from '../../stream/parse-json.ts'
import { toolCallOp, type ToolParsers } from '../tool-ops.ts'

/** What the agent gets to read. */
export function toWire(messages: readonly ChatMessage[]) {
  return messages
    .map((message) => {
      const role = message.role.type === RoleType.User ? 'user' : 'assistant'
      return { id: message.messageID, role, content: textOfMessage(message) }
    })
    .filter(({ content }) => content !== '')
}

/** `MESSAGES_SNAPSHOT`: the whole list. Results join the call they answer; other roles are not shown. */
export function fromWire(list: unknown, locale: string, toolParsers: ToolParsers): ChatMessage[] {
  const wire = asArray(list).map(asObject)
  const results = new Map(
    wire.filter(({ role }) => role === 'tool').map((one) => [asText(one['toolCallId']), one['content']]),
  )
  const texts = textsOf(locale)
  return wire.flatMap((message): ChatMessage[] => {
    const id = asText(message['id'])
    if (message['role'] === 'user') {
      const role = { name: texts.userName, type: RoleType.User, avatar: '' }
      const text = { type: BlockType.Text, content: contentText(message['content']), key: 'text' }
      return [{ messageID: id, messageId: id, role, content: [text] }]
    }
    if (message['role'] !== 'assistant') return []
    const role = { name: texts.assistantName, type: RoleType.Assistant, avatar: '' }
    const ops: ChatOp[] = [
      { op: 'text', key: id, text: contentText(message['content']) },
      ...asArray(message['toolCalls']).map((call) => callOp(asObject(call), results, toolParsers)),
    ]
    return [applyOps({ messageID: id, messageId: id, role, content: [] }, ops)]
  })
}

function callOp(call: JsonObject, results: ReadonlyMap<string, unknown>, toolParsers: ToolParsers): ChatOp {
  const id = asText(call['id'])
  const { name, arguments: text } = asObject(call['function'])
  const title = asText(name) || 'tool'
  const known = { id, name: title, title, input: parseJson(text) ?? text }
  if (!results.has(id)) return toolCallOp(id, { ...known, status: 'pending' })
  return toolCallOp(id, { ...known, output: results.get(id), status: 'done' }, toolParsers)
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return asArray(content)
    .map((part) => asText(asObject(part)['text']))
    .join('')
}
