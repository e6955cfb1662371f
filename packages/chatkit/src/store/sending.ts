import type { ApplicationContext } from '../model/application-context.ts'
import type { Attachment, SendRequest } from '../model/chat-adapter.ts'
import { chatKitError } from '../model/chat-kit-error.ts'
import type { ChatMessage } from '../model/chat-message.ts'
import { textOfMessage } from '../model/text-of-message.ts'
import { effectiveContext } from './chat-state.ts'
import type { Conversations } from './conversations.ts'
import { checkContext, copyContext } from './copy-context.ts'
import { answerMessage, attachmentsOf, userMessage } from './make-message.ts'
import type { Run, Runs } from './runs.ts'
import type { StoreGround } from './store-ground.ts'

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
  /** Refuses the plan that waits for a decision. */
  planDecision?: 'reject' | undefined
  /** Files that go along, in place of those in the input box. */
  attachments?: readonly Attachment[] | undefined
}

type Others = { runs: Runs; conversations: Pick<Conversations, 'settled' | 'open' | 'create'> }

export type Sending = ReturnType<typeof createSending>

const TITLE_LENGTH = 100

/** The steps of `send()`, once the way is free: the run has begun, nothing is shown yet. */
export function createSending({ getSnapshot, dispatch, options }: StoreGround, { runs, conversations }: Others) {
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
      const plan = planOf(getSnapshot().messages, text, settings)
      if (settings.context) dispatch({ type: 'context:inject', context: settings.context })
      const context = settings.context ?? plan.context ?? effectiveContext(getSnapshot())
      const copied = context && copyContext(context)
      const added = settings.fromInput ? getSnapshot().attachments : plan.attachments
      const attachments = [...(settings.attachments ?? added ?? [])]
      const { textInput } = getSnapshot()
      const typed = textInput.startsWith(text) ? text : textInput
      const own = plan.isNew ? [userMessage(text, { options, context: copied, attachments })] : []
      const show = () => showRun(own, plan.forkAt)
      try {
        await openConversation(text, settings.conversationID, run.signal)
      } catch (error) {
        if (!run.signal.aborted) show() // The failure must be seen, and the text not be lost.
        throw error
      }
      if (run.signal.aborted) return
      if (settings.fromInput) dispatch({ type: 'input:take', text: typed, attachments })
      const visible = show()
      runs.follow(run, (io) => adapter.send(requestOf(text, { copied, attachments, visible, settings }), io))
    }
    prepare().catch((error: unknown) => runs.fail(run, error))
    return run
  }

  const openConversation = async (text: string, wanted: string | undefined, signal: AbortSignal) => {
    await conversations.settled()
    if (signal.aborted) return
    if (wanted && wanted !== getSnapshot().conversationID) return conversations.open(wanted, signal)
    if (getSnapshot().conversationID === '') await conversations.create(signal, text.slice(0, TITLE_LENGTH))
  }

  /** Puts the run's messages into the list. Returns what the assistant is to answer to. */
  const showRun = (own: ChatMessage[], forkAt: number | undefined): ChatMessage[] => {
    const { messages } = getSnapshot()
    const visible = [...messages.slice(0, forkAt), ...own]
    const answer = answerMessage(options, visible.at(-1)?.messageID)
    const at = forkAt !== undefined && forkAt < messages.length ? { forkAt } : {}
    dispatch({ type: 'run:show', messages: [...own, answer], messageID: answer.messageID, ...at })
    for (const message of own) options.onMessage(message)
    return visible
  }

  const requestOf = (text: string, parts: RequestParts): SendRequest => {
    const { conversationID, mode, isModeChosen } = getSnapshot()
    return {
      text,
      messages: parts.visible,
      attachments: parts.attachments,
      ...(parts.copied && { context: parts.copied }),
      ...(conversationID && { conversationID }),
      ...(adapter.hasPlanning && isModeChosen && { mode }),
      ...(parts.settings.planDecision && { planDecision: parts.settings.planDecision }),
      ...(parts.settings.regenerate && { regenerate: parts.settings.regenerate }),
      ...(parts.settings.edit && { edit: parts.settings.edit }),
    }
  }

  /** Takes what a message that must wait will need out of the input box, which is free for the next one. */
  const takeInput = ({ fromInput, ...settings }: SendOptions): SendOptions => {
    if (!fromInput) return settings
    const { textInput, attachments } = getSnapshot()
    dispatch({ type: 'input:take', text: textInput, attachments })
    return { attachments, ...settings }
  }

  return { check, start, takeInput }
}

type RequestParts = {
  copied: ApplicationContext | undefined
  attachments: Attachment[]
  visible: ChatMessage[]
  settings: SendOptions
}

/** Where in the list the run goes: at the end, or in the place of the message it replaces. */
function planOf(messages: readonly ChatMessage[], text: string, { regenerate, edit }: SendOptions) {
  const replaced = regenerate ?? edit
  const found = replaced ? messages.findLastIndex(({ messageID }) => messageID === replaced) : -1
  const asked = messages[regenerate ? found - 1 : found]
  const isSaidAgain = edit !== undefined || (asked && textOfMessage(asked) === text)
  return {
    isNew: !regenerate || edit !== undefined,
    forkAt: found < 0 ? undefined : found,
    context: isSaidAgain ? asked?.applicationContext : undefined,
    /** Those of the message that is asked again. */
    attachments: asked && attachmentsOf(asked),
  }
}
