import type { OnboardingInfo } from '../../model/application-context.ts'
import type { AdapterIO, ChatAdapter, SendRequest } from '../../model/chat-adapter.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { newID } from '../../model/new-id.ts'
import { RoleType } from '../../model/role.ts'
import { textOfMessage } from '../../model/text-of-message.ts'
import { textsOf } from '../../model/texts.ts'
import { applyOps } from '../../store/apply-ops.ts'
import { streamOps } from '../../stream/event-core.ts'
import { at } from '../base-url.ts'
import { type ClientTool, runClientTool } from '../client-tool.ts'
import { contextPrompt } from '../context-prompt.ts'
import { openStream } from '../open-stream.ts'
import { type ConversationStorage, type LocalHistory, localHistory } from './local-history.ts'
import { callKey, inputOf, type OpenAICall, openaiCore, type OpenAIState, toolOp } from './openai-core.ts'
import { isOpenAIAuthError, openaiError } from './openai-error.ts'

export type OpenAIOptions = {
  /** Up to and without `/chat/completions`. Put your own proxy here: a key does not belong into a page. */
  baseUrl: string
  model: string
  name?: string
  system?: string
  onboarding?: OnboardingInfo
  headers?: Record<string, string>
  /** Further fields of the request, e.g. `temperature`. */
  body?: Record<string, unknown>
  clientTools?: Record<string, ClientTool>
  /** Keeps the conversations in the page, e.g. `localStorage`. Default: they end with the page. */
  storage?: ConversationStorage
}

const MAX_ROUNDS = 8

/** Any server that speaks OpenAI's chat completions. Conversations live in the page. */
export function openai(options: OpenAIOptions): ChatAdapter {
  const { onboarding, storage } = options
  const history = storage && localHistory(storage)
  return {
    name: options.name ?? 'OpenAI',
    ...(onboarding && { onboarding: async () => onboarding }),
    createConversation: async () => newID('local'),
    isAuthError: isOpenAIAuthError,
    send(request, io) {
      const said = converse(options, request, io)
      return history ? kept(said, { history, request, io }) : said
    },
    ...(history && { history }),
  }
}

type Keeping = { history: LocalHistory; request: SendRequest; io: AdapterIO }

/** The same, and what came of it is kept: also half an answer, when it was stopped or failed. */
async function* kept(ops: AsyncIterable<ChatOp>, { history, request, io }: Keeping): AsyncGenerator<ChatOp> {
  const said: ChatOp[] = []
  try {
    for await (const op of ops) {
      said.push(op)
      yield op
    }
  } finally {
    const answer = applyOps(emptyAnswer(io.locale), said)
    const whole = answer.content.length > 0 ? [...request.messages, answer] : request.messages
    if (request.conversationID) history.save(request.conversationID, whole)
  }
}

function emptyAnswer(locale: string): ChatMessage {
  const id = newID('answer')
  const role = { name: textsOf(locale).assistantName, type: RoleType.Assistant, avatar: '' }
  return { messageID: id, messageId: id, role, content: [] }
}

async function* converse(options: OpenAIOptions, request: SendRequest, io: AdapterIO): AsyncGenerator<ChatOp> {
  const messages = wireMessages(request.messages, options.system)
  for (let round = 0; ; round++) {
    const state = yield* answerOnce(options, messages, { round, io })
    const calls = Object.values(state.calls)
    const canRun = calls.length > 0 && calls.every(({ name }) => options.clientTools?.[name])
    if (!canRun || state.finishReason !== 'tool_calls' || round + 1 >= MAX_ROUNDS) break
    messages.push({ role: 'assistant', content: null, tool_calls: calls.map(wireCall) })
    for (const [index, call] of Object.entries(state.calls)) {
      const input = inputOf(call)
      const { text, ...result } = await runClientTool(options.clientTools?.[call.name], input, { signal: io.signal })
      yield toolOp(call, { key: callKey(round, Number(index)), input, ...result })
      messages.push({ role: 'tool', tool_call_id: call.id, content: text })
    }
  }
  yield { op: 'end' }
}

/** One request. Its own end is not the run's: a tool may have to run first. */
async function* answerOnce(
  options: OpenAIOptions,
  messages: WireMessage[],
  { round, io }: { round: number; io: AdapterIO },
): AsyncGenerator<ChatOp, OpenAIState> {
  const { baseUrl, model, headers, body, clientTools } = options
  const response = await openStream(io, {
    url: at(baseUrl, '/chat/completions'),
    headers,
    errorOf: openaiError,
    body: {
      model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
      ...(clientTools && { tools: Object.entries(clientTools).map(wireTool) }),
      ...body,
    },
  })
  const ops = streamOps(openaiCore(io.locale, round), response, io)
  for (;;) {
    const { done, value } = await ops.next()
    if (done) return value
    if (value.op !== 'end') yield value
  }
}

type WireMessage = Record<string, unknown>

function wireMessages(messages: readonly ChatMessage[], system: string | undefined): WireMessage[] {
  const spoken = messages.flatMap((message) => {
    const text = textOfMessage(message)
    if (text === '') return []
    const isUser = message.role.type === RoleType.User
    return [{ role: isUser ? 'user' : 'assistant', content: contextPrompt(text, message.applicationContext) }]
  })
  return system ? [{ role: 'system', content: system }, ...spoken] : spoken
}

function wireTool([name, { description, parameters = { type: 'object' } }]: [string, ClientTool]): WireMessage {
  return { type: 'function', function: { name, parameters, ...(description && { description }) } }
}

function wireCall({ id, name, arguments: text }: OpenAICall): WireMessage {
  return { id, type: 'function', function: { name, arguments: text } }
}
