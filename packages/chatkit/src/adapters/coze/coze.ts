import type { ApplicationContext, OnboardingInfo } from '../../model/application-context.ts'
import type { AdapterIO, Attachment, ChatAdapter, SendRequest } from '../../model/chat-adapter.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { streamOps } from '../../stream/event-core.ts'
import { asArray, asObject, asText, type JsonObject, parseJson } from '../../stream/parse-json.ts'
import { at, query } from '../base-url.ts'
import { type ClientTool, runClientTool } from '../client-tool.ts'
import { contextPrompt } from '../context-prompt.ts'
import { callJson, openStream } from '../open-stream.ts'
import type { ToolParsers } from '../tool-ops.ts'
import { cozeCore, requiredOp } from './coze-core.ts'
import { cozeError, isCozeAuthError } from './coze-error.ts'
import { cozeHistory } from './coze-history.ts'
import { type CozeCall, dataOf, type RequiredCall } from './coze-state.ts'

export type CozeOptions = {
  botId: string
  /** Any stable string of yours that is not a real account id; contexts of different users are separate. */
  userId?: string
  /** Default `https://api.coze.cn`; a token is valid on one host only. */
  baseUrl?: string
  headers?: Record<string, string>
  /** How a context travels. Default `prompt`: in front of the text. */
  contextMode?: 'prompt' | 'variables' | 'none'
  /** With `variables`. */
  contextVariables?: (context: ApplicationContext) => Record<string, string>
  toolParsers?: ToolParsers
  clientTools?: Record<string, ClientTool>
  /** Further fields of the chat request: `custom_variables`, `parameters`, `meta_data`, `bot_version`, … */
  body?: Record<string, unknown>
}

const MAX_ROUNDS = 8

/** Coze v3, and Coze Studio, which serves the same paths. */
export function coze(options: CozeOptions): ChatAdapter {
  const { botId, baseUrl = 'https://api.coze.cn', headers } = options
  const call: CozeCall = async (io, { path, body, method = body ? 'POST' : 'GET' }) =>
    asObject(await callJson(io, { url: at(baseUrl, path), method, body, headers, errorOf: cozeError }))
  return {
    name: 'Coze',
    isAuthError: isCozeAuthError,
    onboarding: async (io) => onboardingOf(await dataOf(call(io, { path: `/v1/bots/${botId}?is_published=true` }))),
    async createConversation(io, title) {
      const body = { bot_id: botId, name: title?.slice(0, 100) }
      return asText((await dataOf(call(io, { path: '/v1/conversation/create', body })))['id'])
    },
    send: (request, io) => chat({ ...options, baseUrl }, request, io),
    async stop({ conversationID, handle }, io) {
      if (!handle) return
      await call(io, { path: '/v3/chat/cancel', body: { conversation_id: conversationID, chat_id: handle } })
    },
    history: cozeHistory(call, botId),
    async upload(file, io) {
      const body = new FormData()
      body.append('file', file)
      const id = asText((await dataOf(call(io, { path: '/v1/files/upload', body })))['id'])
      return { id, name: file.name, mediaType: file.type, size: file.size }
    },
    async feedback({ conversationID, messageID, value, comment }, io) {
      const path = `/v1/conversations/${conversationID}/messages/${messageID}/feedback`
      const body = { feedback_type: value === 'like' ? 'like' : 'unlike', comment }
      await call(io, value === null ? { path, method: 'DELETE' } : { path, body })
    },
    commentLength: 2000,
  }
}

type Chat = CozeOptions & { baseUrl: string }

async function* chat(options: Chat, request: SendRequest, io: AdapterIO): AsyncGenerator<ChatOp> {
  let path = `/v3/chat${query({ conversation_id: request.conversationID })}`
  let body: Record<string, unknown> = chatBody(options, request)
  let [conversation_id, chat_id] = [request.conversationID ?? '', '']
  for (let round = 0; ; round++) {
    const { baseUrl, headers, clientTools } = options
    const response = await openStream(io, { url: at(baseUrl, path), body, headers, errorOf: cozeError })
    const ops = streamOps(cozeCore(options.toolParsers), response, io)
    let step = await ops.next()
    for (; !step.done; step = await ops.next()) {
      if (step.value.op === 'conversation') conversation_id = step.value.id
      if (step.value.op === 'handle') chat_id = String(step.value.value)
      if (step.value.op !== 'end' || step.value.status) yield step.value
    }
    const { required } = step.value
    if (required.length === 0 || round + 1 >= MAX_ROUNDS || !required.every(({ name }) => clientTools?.[name])) break
    const tool_outputs = yield* runTools(required, options, io)
    path = `/v3/chat/submit_tool_outputs${query({ conversation_id, chat_id })}`
    body = { tool_outputs, stream: true }
  }
  yield { op: 'end' }
}

async function* runTools(required: readonly RequiredCall[], { clientTools }: Chat, io: AdapterIO) {
  const outputs: Array<{ tool_call_id: string; output: string }> = []
  for (const call of required) {
    const input = parseJson(call.arguments) ?? call.arguments
    const { text, ...result } = await runClientTool(clientTools?.[call.name], input, { signal: io.signal })
    yield requiredOp(call, result)
    outputs.push({ tool_call_id: call.id, output: text })
  }
  return outputs
}

function chatBody(options: Chat, { text, context, attachments }: SendRequest): Record<string, unknown> {
  const { botId, userId = 'chatkit', contextMode = 'prompt', contextVariables, body } = options
  const content = contextMode === 'prompt' ? contextPrompt(text, context) : text
  const variables = contextMode === 'variables' && context ? contextVariables?.(context) : undefined
  return {
    bot_id: botId,
    user_id: userId,
    stream: true,
    auto_save_history: true,
    additional_messages: [{ role: 'user', type: 'question', ...wireContent(content, attachments) }],
    ...body,
    ...(variables && { custom_variables: { ...asObject(body?.['custom_variables']), ...variables } }),
  }
}

/** Files travel beside the text in a JSON string; text alone is not allowed in that form. */
function wireContent(text: string, attachments: readonly Attachment[]) {
  if (attachments.length === 0) return { content: text, content_type: 'text' }
  const files = attachments.map(({ id, url, mediaType }) => {
    const kind = /^(image|audio)\//.exec(mediaType)?.[1] ?? 'file'
    return { type: kind, ...(id ? { file_id: id } : { file_url: url }) }
  })
  return { content: JSON.stringify([{ type: 'text', text }, ...files]), content_type: 'object_string' }
}

function onboardingOf(bot: JsonObject): OnboardingInfo {
  const { prologue, suggested_questions } = asObject(bot['onboarding_info'])
  return { prologue: asText(prologue), predefinedQuestions: asArray(suggested_questions).map(asText) }
}
