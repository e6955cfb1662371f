import type { ApplicationContext } from '../../model/application-context.ts'
import type { AdapterIO, Attachment, ChatAdapter, QuestionAnswer, SendRequest } from '../../model/chat-adapter.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { streamOps } from '../../stream/event-core.ts'
import { asArray, asObject, asText } from '../../stream/parse-json.ts'
import { at, query } from '../base-url.ts'
import { contextPrompt } from '../context-prompt.ts'
import { callJson, openStream } from '../open-stream.ts'
import type { ToolParsers } from '../tool-ops.ts'
import { difyCore } from './dify-core.ts'
import { difyError, isDifyAuthError } from './dify-error.ts'
import { readFormID } from './dify-form.ts'
import { type DifyCall, difyHistory } from './dify-history.ts'

export type DifyOptions = {
  /** Your user, as Dify shall know them. */
  user: string
  /** Up to and with `/v1`. Default `https://api.dify.ai/v1`; keys are secret, so a page talks to your proxy. */
  baseUrl?: string
  headers?: Record<string, string>
  inputs?: Record<string, unknown>
  /** Puts a context into the app's variables instead of in front of the text. */
  contextInputs?: (context: ApplicationContext) => Record<string, unknown>
  /** Nodes of a workflow as tool rows. Default false. */
  showWorkflow?: boolean
  /**
   * Asks for questions to go on with after each answer; never where the app has them switched off. Default: where the
   * app's parameters, read for the opening, say that they are on. True: looks there also without an opening.
   */
  suggestedQuestions?: boolean
  toolParsers?: ToolParsers
}

export function dify(options: DifyOptions): ChatAdapter {
  const { user, baseUrl = 'https://api.dify.ai/v1', headers, toolParsers = {} } = options
  const call: DifyCall = async (io, { path, body, method = body ? 'POST' : 'GET' }) =>
    asObject(await callJson(io, { url: at(baseUrl, path), method, body, headers, errorOf: difyError }))
  const read = (io: AdapterIO, response: Response) =>
    streamOps(difyCore({ locale: io.locale, showWorkflow: options.showWorkflow ?? false, toolParsers }), response, io)

  /** The app's own switch; `undefined` until its parameters were read. */
  let isSuggesting: boolean | undefined
  const readParameters = async (io: AdapterIO) => {
    const parameters = await call(io, { path: '/parameters' })
    isSuggesting = asObject(parameters['suggested_questions_after_answer'])['enabled'] === true
    return parameters
  }
  const hasSuggestions = async (io: AdapterIO): Promise<boolean> => {
    if (options.suggestedQuestions === false) return false
    if (isSuggesting === undefined && options.suggestedQuestions) await readParameters(io).catch(() => {}) // Nice to have.
    return isSuggesting ?? false
  }

  async function* send(request: SendRequest, io: AdapterIO): AsyncGenerator<ChatOp> {
    const body = chatBody(options, request)
    const response = await openStream(io, { url: at(baseUrl, '/chat-messages'), body, headers, errorOf: difyError })
    let messageID = ''
    for await (const op of read(io, response)) {
      if (op.op === 'message') messageID = op.id
      if (op.op === 'end' && !op.status && (await hasSuggestions(io))) yield* suggestions(messageID, io)
      yield op
    }
  }

  /** Nice to have: an answer does not fail because there is nothing to ask next. */
  async function* suggestions(messageID: string, io: AdapterIO): AsyncGenerator<ChatOp> {
    const path = `/messages/${encodeURIComponent(messageID)}/suggested${query({ user })}`
    const found = await call(io, { path }).catch((): Record<string, unknown> => ({}))
    const relatedQuestions = asArray(found['data']).map(asText)
    if (relatedQuestions.length > 0) yield { op: 'context', patch: { relatedQuestions } }
  }

  /** Submits the form, then attaches to the workflow again. */
  async function* answerQuestion(answer: QuestionAnswer, io: AdapterIO): AsyncGenerator<ChatOp> {
    const { taskID, formToken } = readFormID(answer.questionID)
    const path = `/form/human_input/${encodeURIComponent(formToken)}`
    const form = await call(io, { path })
    const names = asArray(form['inputs']).map((input) => asText(asObject(input)['output_variable_name']))
    const inputs = Object.fromEntries(names.map((name, index) => [name, answer.custom[String(index)] ?? '']))
    await call(io, { path, body: { inputs, action: answer.action ?? '', user } })
    const url = at(baseUrl, `/workflow/${encodeURIComponent(taskID)}/events${query({ user })}`)
    yield* read(io, await openStream(io, { url, method: 'GET', headers, errorOf: difyError }))
  }

  return {
    name: 'Dify',
    isAuthError: isDifyAuthError,
    async onboarding(io) {
      const { opening_statement, suggested_questions } = await readParameters(io)
      return { prologue: asText(opening_statement), predefinedQuestions: asArray(suggested_questions).map(asText) }
    },
    // Dify names a conversation with its first answer.
    createConversation: async () => '',
    send,
    async stop({ handle }, io) {
      if (typeof handle === 'string')
        await call(io, { path: `/chat-messages/${encodeURIComponent(handle)}/stop`, body: { user } })
    },
    history: difyHistory(call, user, toolParsers),
    async upload(file, io) {
      const body = new FormData()
      body.append('file', file)
      body.append('user', user)
      const id = asText((await call(io, { path: '/files/upload', body }))['id'])
      return { id, name: file.name, mediaType: file.type, size: file.size }
    },
    async feedback({ messageID, value, comment }, io) {
      const body = { rating: value, user, content: comment }
      await call(io, { path: `/messages/${encodeURIComponent(messageID)}/feedbacks`, body })
    },
    commentLength: 2000,
    answerQuestion,
  }
}

function chatBody({ user, inputs, contextInputs }: DifyOptions, request: SendRequest): Record<string, unknown> {
  const { text, context, conversationID, attachments } = request
  const own = context && contextInputs?.(context)
  return {
    inputs: { ...inputs, ...own },
    query: own ? text : contextPrompt(text, context),
    response_mode: 'streaming',
    user,
    ...(conversationID && { conversation_id: conversationID }),
    ...(attachments.length > 0 && { files: attachments.map(wireFile) }),
  }
}

function wireFile({ id, url, mediaType }: Attachment) {
  const kind = /^(image|audio|video)\//.exec(mediaType)?.[1] ?? 'document'
  return id
    ? { type: kind, transfer_method: 'local_file', upload_file_id: id }
    : { type: kind, transfer_method: 'remote_url', url }
}
