import { BlockType } from '../../model/block-type.ts'
import type { AdapterIO, ChatAdapter, SendRequest } from '../../model/chat-adapter.ts'
import { chatKitError } from '../../model/chat-kit-error.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { textsOf } from '../../model/texts.ts'
import { streamSteps } from '../../stream/event-core.ts'
import { asArray, asObject, asText } from '../../stream/parse-json.ts'
import { httpError } from '../../stream/read-answer.ts'
import { at } from '../base-url.ts'
import { contextPrompt } from '../context-prompt.ts'
import { callJson, type ErrorOf, openStream } from '../open-stream.ts'
import type { ToolParsers } from '../tool-ops.ts'
import { onedragonCore, type OneDragonState } from './onedragon-core.ts'

export type OneDragonOptions = {
  /** Up to and without `/chat/stream`. */
  baseUrl: string
  headers?: Record<string, string>
  /** Both or none; none is the server's default model. */
  model?: { model_config_id: number; model_id: string }
  toolParsers?: ToolParsers
}

/** One response per input, with cumulative messages. Stopping is closing the connection. */
export function onedragon(options: OneDragonOptions): ChatAdapter {
  return {
    name: 'OneDragon',
    isAuthError: (status) => status === 401,
    // The server names a session in the first frame.
    createConversation: async () => '',
    send: (request, io) => answer(options, request, io),
  }
}

async function* answer(options: OneDragonOptions, request: SendRequest, io: AdapterIO): AsyncGenerator<ChatOp> {
  const { baseUrl, headers, model, toolParsers } = options
  const body = {
    session_id: request.conversationID ?? null,
    user_input: contextPrompt(request.text, request.context),
    ...model,
  }
  const response = await openStream(io, { url: at(baseUrl, '/chat/stream'), body, headers, errorOf })
  const charts: Promise<void>[] = []
  const ready: ChatOp[] = []
  /** How many charts of an analysis are shown. */
  const shown = new Map<number, number>()
  for await (const { state, ops } of streamSteps(onedragonCore(toolParsers), response, io)) {
    for (const display of state.displays.slice(charts.length)) charts.push(show(display, state.sessionID))
    yield* ready.splice(0)
    for (const op of ops) {
      if (op.op === 'end') {
        await Promise.all(charts)
        yield* ready.splice(0)
      }
      yield op
    }
  }

  /** A failure is a line in the message; the answer goes on. */
  async function show({ callID, analyseID }: Display, session_id: string): Promise<void> {
    const after = `tool_${callID}`
    try {
      if (analyseID === null) throw chatKitError('protocol', 'The result names no analysis.')
      const list = await fetchCharts({ session_id, analyse_id: analyseID }, options, io)
      ready.push(...chartOps(list, { analyseID, after, atLeast: shown.get(analyseID) ?? 0 }))
      shown.set(analyseID, list.length)
    } catch {
      const content = { text: textsOf(io.locale).chartFailed, level: 'warning' as const }
      ready.push({ op: 'block', block: { type: BlockType.Notice, key: `chart_${callID}`, content }, after })
    }
  }
}

type Display = OneDragonState['displays'][number]
type Place = { analyseID: number; after: string; atLeast: number }

/** A block for each chart, one behind the other. Those that an earlier display of the analysis had more are emptied. */
function chartOps(list: readonly object[], { analyseID, after, atLeast }: Place): ChatOp[] {
  const key = (n: number) => `chart_${analyseID}_${n}`
  return Array.from({ length: Math.max(list.length, atLeast) }, (_, n) => ({
    op: 'block',
    block: { type: BlockType.Chart, key: key(n), content: { options: list.slice(n, n + 1) } },
    after: n === 0 ? after : key(n - 1),
  }))
}

async function fetchCharts(
  body: { session_id: string; analyse_id: number },
  { baseUrl, headers }: OneDragonOptions,
  io: AdapterIO,
): Promise<object[]> {
  const url = at(baseUrl, '/chat/get_analyse_by_code_result')
  const found = asObject(await callJson(io, { url, body, headers, errorOf }))
  return asArray(found['echarts_list'] ?? asObject(found['result'])['echarts_list']).map(asObject)
}

/** `{ detail }` before the stream. */
const errorOf: ErrorOf = (status, body) => {
  if (status < 400) return undefined
  const error = httpError(status, body)
  const isGone = status === 404 && asText(asObject(body)['detail']).startsWith('Session not found')
  return isGone ? Object.assign(error, { isConversationGone: true, retryable: true }) : error
}
