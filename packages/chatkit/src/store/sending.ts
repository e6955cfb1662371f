import type { ApplicationContext } from '../model/application-context.ts'
import type { Attachment, SendRequest } from '../model/chat-adapter.ts'
import { chatKitError } from '../model/chat-kit-error.ts'
import type { ChatMessage } from '../model/chat-message.ts'
import { textOfMessage } from '../model/text-of-message.ts'
import { type ChatState, effectiveContext } from './chat-state.ts'
import type { Conversations } from './conversations.ts'
import { checkContext, copyContext } from './copy-context.ts'
import { answerMessage, userMessage } from './make-message.ts'
import type { Run, Runs } from './runs.ts'
import type { StateHolder } from './state-holder.ts'
import type { StoreOptions } from './store-options.ts'

export type SendOptions = {
  /** Becomes the application context. */
  context?: ApplicationContext | undefined
  /** Another conversation than the current one is opened first. */
  conversationID?: string | undefined
  /** The assistant message this run replaces; no user message is added. */
  regenerate?: string | undefined
  /** The user message this one replaces. */
  edit?: string | undefined
  /** The text is the one in the input box, which is emptied and whose attachments go along. */
  fromInput?: boolean | undefined
}

export type SendingOptions = {
  holder: StateHolder
  runs: Runs
  conversations: Pick<Conversations, 'settled' | 'open' | 'create'>
  options: StoreOptions
}

const TITLE_LENGTH = 100

/** The steps of `send()`, once the way is free: the run has begun, nothing is shown yet. */
export function createSending({ holder, runs, conversations, options }: SendingOptions) {
  const { adapter } = options

  const check = (text: string, { context }: SendOptions) => {
    if (text.trim() === '') throw chatKitError('empty', 'There is no text to send.')
    if (text.length > options.maxLength)
      throw chatKitError(
        'too_long',
        `The text has ${text.length} characters; at most ${options.maxLength} are allowed.`,
      )
    if (context !== undefined) checkContext(context)
  }

  const start = (text: string, settings: SendOptions): Run => {
    const run = runs.begin()
    const prepare = async () => {
      const plan = planOf(holder.getSnapshot().messages, text, settings)
      if (settings.context) set({ applicationContext: settings.context })
      const context = plan.context ?? effectiveContext(holder.getSnapshot())
      const copied = context && copyContext(context)
      const attachments = settings.fromInput ? holder.getSnapshot().attachments : []
      const own = plan.isNew ? [userMessage(text, { options, context: copied, attachments })] : []
      const show = () => showRun(own, plan.forkAt)
      try {
        await openConversation(text, settings.conversationID, run.signal)
      } catch (error) {
        if (!run.signal.aborted) show() // The failure must be seen, and the text not be lost.
        throw error
      }
      if (run.signal.aborted) return
      if (settings.fromInput) set({ textInput: '', attachments: [] })
      const visible = show()
      runs.follow(run, (io) => adapter.send(requestOf(text, { copied, attachments, visible, settings }), io))
    }
    prepare().catch((error: unknown) => runs.fail(run, error))
    return run
  }

  const set = (patch: Partial<ChatState>) => holder.dispatch({ type: 'set', patch })

  const openConversation = async (text: string, wanted: string | undefined, signal: AbortSignal) => {
    await conversations.settled()
    if (signal.aborted) return
    if (wanted && wanted !== holder.getSnapshot().conversationID) return conversations.open(wanted, signal)
    if (holder.getSnapshot().conversationID === '') await conversations.create(text.slice(0, TITLE_LENGTH), signal)
  }

  /** Puts the run's messages into the list. Returns what the assistant is to answer to. */
  const showRun = (own: ChatMessage[], forkAt: number | undefined): ChatMessage[] => {
    const { messages } = holder.getSnapshot()
    const visible = [...messages.slice(0, forkAt), ...own]
    const answer = answerMessage(options, visible.at(-1)?.messageID)
    const at = forkAt !== undefined && forkAt < messages.length ? { forkAt } : {}
    holder.dispatch({ type: 'run:show', messages: [...own, answer], messageID: answer.messageID, ...at })
    for (const message of own) options.onMessage(message)
    return visible
  }

  const requestOf = (text: string, parts: RequestParts): SendRequest => {
    const { conversationID, mode } = holder.getSnapshot()
    return {
      text,
      messages: parts.visible,
      attachments: parts.attachments,
      ...(parts.copied && { context: parts.copied }),
      ...(conversationID && { conversationID }),
      ...(adapter.hasPlanning && { mode }),
      ...(parts.settings.regenerate && { regenerate: parts.settings.regenerate }),
    }
  }

  return { check, start }
}

type RequestParts = {
  copied: ApplicationContext | undefined
  attachments: Attachment[]
  visible: ChatMessage[]
  settings: SendOptions
}

type Plan = { isNew: boolean; forkAt?: number; context?: ApplicationContext | undefined }

/** Where in the list the run goes: at the end, or in the place of the message it replaces. */
function planOf(messages: readonly ChatMessage[], text: string, { regenerate, edit, context }: SendOptions): Plan {
  const replaced = regenerate ?? edit
  if (!replaced) return { isNew: true, context }
  const forkAt = messages.findLastIndex(({ messageID }) => messageID === replaced)
  if (forkAt < 0) return { isNew: edit !== undefined, context }
  const asked = regenerate ? messages[forkAt - 1] : messages[forkAt]
  const isSameText = asked !== undefined && textOfMessage(asked) === text
  return {
    isNew: edit !== undefined,
    forkAt,
    context: context ?? (isSameText || edit ? asked?.applicationContext : undefined),
  }
}
