import type { ApplicationContext, OnboardingInfo } from '../../model/application-context.ts'
import type { AdapterIO, ChatAdapter } from '../../model/chat-adapter.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { newID } from '../../model/new-id.ts'
import { streamSteps } from '../../stream/event-core.ts'
import { httpError } from '../../stream/read-answer.ts'
import { type ErrorOf, openStream } from '../open-stream.ts'
import { agUiCore, type AgUiCoreOptions } from './ag-ui-core.ts'
import { toWire } from './ag-ui-messages.ts'

export type AgUiOptions = Pick<AgUiCoreOptions, 'showSteps' | 'toolParsers' | 'activities'> & {
  /** The agent's endpoint. */
  url: string
  name?: string
  headers?: Record<string, string>
  onboarding?: OnboardingInfo
  forwardedProps?: unknown
  /** The shared state that goes with the next request. */
  state?: () => unknown
  /** The agent changed the shared state. */
  onState?: (state: unknown) => void
}

/** Any agent that speaks AG-UI over HTTP. Threads are named by the page. */
export function agUi(options: AgUiOptions): ChatAdapter {
  const { onboarding } = options
  return {
    name: options.name ?? 'AG-UI',
    isAuthError: (status) => status === 401,
    ...(onboarding && { onboarding: async () => onboarding }),
    createConversation: async () => newID('thread'),
    send: ({ messages, context, conversationID }, io) => run(options, io, { messages, context, conversationID }),
    answerQuestion: ({ questionID, conversationID, messages, selections, custom }, io) => {
      const payload = { selections, custom }
      const resume = [{ interruptId: questionID, status: 'resolved', payload }]
      return run(options, io, { messages, conversationID, resume })
    },
    answerConfirmation: ({ confirmationId, conversationID, messages, approved, editedArguments }, io) => {
      const payload = { approved, ...(editedArguments && { editedArguments }) }
      const resume = [{ interruptId: confirmationId, status: approved ? 'resolved' : 'cancelled', payload }]
      return run(options, io, { messages, conversationID, resume })
    },
  }
}

type Input = {
  messages: ChatMessage[]
  conversationID: string | undefined
  context?: ApplicationContext | undefined
  resume?: unknown[]
}

async function* run(options: AgUiOptions, io: AdapterIO, input: Input): AsyncGenerator<ChatOp> {
  const { url, headers, forwardedProps = {}, onState } = options
  const { messages, context, conversationID, resume } = input
  const runId = newID('run')
  const body = {
    threadId: conversationID ?? newID('thread'),
    runId,
    messages: toWire(messages),
    tools: [],
    context: context ? [{ description: context.title, value: JSON.stringify(context.data) }] : [],
    state: options.state?.() ?? {},
    forwardedProps,
    ...(resume && { resume }),
  }
  const response = await openStream(io, { url, body, headers, errorOf })
  const core = agUiCore({
    locale: io.locale,
    runID: runId,
    showSteps: options.showSteps ?? false,
    toolParsers: options.toolParsers ?? {},
    activities: options.activities ?? {},
  })
  let shared: unknown
  for await (const { state, ops } of streamSteps(core, response, io)) {
    if (state.shared !== shared) onState?.((shared = state.shared))
    yield* ops
  }
}

const errorOf: ErrorOf = (status, body) => (status >= 400 ? httpError(status, body) : undefined)
