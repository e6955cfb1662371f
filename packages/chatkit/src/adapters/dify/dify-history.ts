import type { AdapterIO, ChatHistory } from '../../model/chat-adapter.ts'
import type { ChatMessage, ChatMessageInput } from '../../model/chat-message.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { RoleType } from '../../model/role.ts'
import { textsOf } from '../../model/texts.ts'
import { applyOps } from '../../store/apply-ops.ts'
import { asArray, asNumber, asObject, asText, type JsonObject } from '../../stream/parse-json.ts'
import { query } from '../base-url.ts'
import { promptContent } from '../context-prompt.ts'
import { fileOp, sourceOps } from './dify-end.ts'
import { type ThoughtSetting, thoughtToolOps } from './dify-thought.ts'

export type DifyRequest = {
  path: string
  /** Default: `POST` with a body, else `GET`. */
  method?: string
  body?: unknown
}

export type DifyCall = (io: AdapterIO, request: DifyRequest) => Promise<JsonObject>

const PAGE = 100
const MAX_PAGES = 40

export function difyHistory(call: DifyCall, user: string, toolParsers: ThoughtSetting['toolParsers']): ChatHistory {
  /** Dify's pages go on from an id; pages by number are reached by walking. */
  const list: ChatHistory['list'] = async (io, page, size) => {
    let last_id = ''
    for (let current = 1; ; current++) {
      const answer = await call(io, { path: `/conversations${query({ user, last_id, limit: Math.min(size, PAGE) })}` })
      const rows = asArray(answer['data']).map(asObject)
      if (current === page) return rows.map(toRow)
      last_id = asText(rows.at(-1)?.['id'])
      if (answer['has_more'] !== true || !last_id) return []
    }
  }
  const load: ChatHistory['load'] = async (conversation_id, io) => {
    let found: JsonObject[] = []
    for (let page = 0; page < MAX_PAGES; page++) {
      const first_id = asText(found[0]?.['id'])
      const answer = await call(io, { path: `/messages${query({ conversation_id, user, first_id, limit: PAGE })}` })
      found = [...asArray(answer['data']).map(asObject), ...found]
      if (answer['has_more'] !== true) break
    }
    return found.flatMap((entry) => toMessages(entry, { locale: io.locale, toolParsers }))
  }
  return {
    list,
    load,
    remove: async (id, io) => void (await call(io, { path: pathOf(id), method: 'DELETE', body: { user } })),
    rename: async (id, name, io) => void (await call(io, { path: `${pathOf(id)}/name`, body: { name, user } })),
  }
}

const pathOf = (id: string) => `/conversations/${encodeURIComponent(id)}`

function toRow(row: JsonObject) {
  const created_at = asNumber(row['created_at']) ?? 0
  const updated_at = asNumber(row['updated_at']) ?? created_at
  return { conversationID: asText(row['id']), title: asText(row['name']), created_at, updated_at }
}

function toMessages(entry: JsonObject, setting: ThoughtSetting): ChatMessageInput[] {
  const texts = textsOf(setting.locale)
  const id = asText(entry['id'])
  const created = asNumber(entry['created_at'])
  const time = created === undefined ? {} : { createdAt: created * 1000 }
  const question: ChatMessage = {
    messageID: `${id}:query`,
    messageId: `${id}:query`,
    role: { name: texts.userName, type: RoleType.User, avatar: '' },
    ...promptContent(asText(entry['query'])),
    ...time,
  }
  const answer: ChatMessage = {
    messageID: id,
    messageId: id,
    role: { name: texts.assistantName, type: RoleType.Assistant, avatar: '' },
    content: [],
    ...time,
  }
  const rating = asText(asObject(entry['feedback'])['rating'])
  const ops = answerOps(entry, setting)
  if (rating === 'like' || rating === 'dislike') ops.push({ op: 'context', patch: { feedback: rating } })
  return [question, applyOps(answer, ops)]
}

/** The same blocks as the stream made: steps by position, then the answer if no step has it. */
function answerOps(entry: JsonObject, setting: ThoughtSetting): ChatOp[] {
  const position = (thought: JsonObject) => asNumber(thought['position']) ?? 0
  const thoughts = asArray(entry['agent_thoughts'])
    .map(asObject)
    .sort((a, b) => position(a) - position(b))
  const answer = asText(entry['answer'])
  const hasAnswer = thoughts.some((thought) => asText(thought['thought']) === answer)
  const files = asArray(entry['message_files']).map(asObject)
  return [
    ...thoughts.flatMap((thought, index): ChatOp[] => [
      { op: 'text', key: `text:${index}`, text: asText(thought['thought']) },
      ...thoughtToolOps(thought, setting),
    ]),
    ...(answer && !hasAnswer ? [{ op: 'text', key: 'text:answer', text: answer } as const] : []),
    ...files.filter((file) => file['belongs_to'] === 'assistant').map(fileOp),
    ...sourceOps(asArray(entry['retriever_resources'])),
  ]
}
