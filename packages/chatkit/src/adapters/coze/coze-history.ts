import type { AdapterIO, ChatHistory } from '../../model/chat-adapter.ts'
import type { ChatMessageInput } from '../../model/chat-message.ts'
import { RoleType } from '../../model/role.ts'
import { textsOf } from '../../model/texts.ts'
import { applyOps } from '../../store/apply-ops.ts'
import { asArray, asNumber, asObject, asText, type JsonObject } from '../../stream/parse-json.ts'
import { query } from '../base-url.ts'
import { promptContent } from '../context-prompt.ts'
import { cozeCore } from './coze-core.ts'
import { cozeMessageOps } from './coze-message.ts'
import { type CozeCall, dataOf } from './coze-state.ts'

const PAGE = 50
/** Enough for any conversation a person reads; a bound against a server that always has more. */
const MAX_PAGES = 40

export function cozeHistory(call: CozeCall, botId: string): ChatHistory {
  return {
    async list(io, page, size) {
      const parts = { bot_id: botId, page_num: page, page_size: Math.min(size, PAGE) }
      const data = await dataOf(call(io, { path: `/v1/conversations${query(parts)}` }))
      return asArray(data['conversations']).map((one) => {
        const { id, name, created_at, updated_at } = asObject(one)
        const created = asNumber(created_at) ?? 0
        return {
          conversationID: asText(id),
          title: asText(name),
          created_at: created,
          updated_at: asNumber(updated_at) ?? created,
        }
      })
    },
    load: (id, io) => load(call, id, io),
    remove: async (id, io) => void (await call(io, { path: pathOf(id), method: 'DELETE' })),
    rename: async (id, name, io) => void (await call(io, { path: pathOf(id), method: 'PUT', body: { name } })),
  }
}

const pathOf = (id: string) => `/v1/conversations/${encodeURIComponent(id)}`

async function load(call: CozeCall, id: string, io: AdapterIO): Promise<ChatMessageInput[]> {
  const path = `/v1/conversation/message/list${query({ conversation_id: id })}`
  const found: ChatMessageInput[] = []
  let after = ''
  for (let page = 0; page < MAX_PAGES; page++) {
    const body = { order: 'asc', limit: PAGE, ...(after && { after_id: after }) }
    const { data, last_id, has_more } = await call(io, { path, body })
    found.push(...asArray(data).map((message) => toMessage(asObject(message), io.locale)))
    after = asText(last_id)
    if (has_more !== true || !after) break
  }
  return found
}

function toMessage(message: JsonObject, locale: string): ChatMessageInput {
  const texts = textsOf(locale)
  const isUser = message['role'] === 'user'
  const messageID = asText(message['id'])
  const created = asNumber(message['created_at'])
  const base: ChatMessageInput & { messageID: string } = {
    messageID,
    messageId: messageID,
    role: isUser
      ? { name: texts.userName, type: RoleType.User, avatar: '' }
      : { name: texts.assistantName, type: RoleType.Assistant, avatar: '' },
    ...(isUser ? promptContent(asText(message['content'])) : { content: [] }),
    ...(created !== undefined && { createdAt: created * 1000 }),
  }
  if (isUser) return base
  const [, ops] = cozeMessageOps(cozeCore().initial, { type: 'answer', ...message }, {})
  return applyOps(base, ops)
}
