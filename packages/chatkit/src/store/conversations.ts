import type { ChatKitError } from '../model/chat-kit-error.ts'
import { chatKitError, toChatKitError } from '../model/chat-kit-error.ts'
import { toChatMessage } from '../model/chat-message.ts'
import { newID } from '../model/new-id.ts'
import type { OpenIO } from './adapter-io.ts'
import { prepareOnboarding } from './onboarding.ts'
import type { Remembering } from './remembering.ts'
import type { Runs } from './runs.ts'
import type { StateHolder } from './state-holder.ts'
import type { StoreOptions } from './store-options.ts'

export type ConversationsOptions = {
  holder: StateHolder
  runs: Runs
  openIO: OpenIO
  options: StoreOptions
  /** Ends with the store. */
  signal: AbortSignal
  dropQueue: () => void
  remembering: Remembering
}

export type Conversations = ReturnType<typeof createConversations>

const isGone = (error: unknown) => ['not_found', 'forbidden'].includes(toChatKitError(error).code)

/** Which conversation is shown. The last request wins: what an earlier one brings late is dropped. */
export function createConversations(parts: ConversationsOptions) {
  const { holder, runs, openIO, options, signal, dropQueue, remembering } = parts
  const { adapter } = options
  let latest = 0
  let pending: Promise<void> = Promise.resolve()
  let isInitialised = false

  const show = (error: unknown): ChatKitError => {
    const shown = toChatKitError(error)
    holder.dispatch({ type: 'set', patch: { conversationError: shown } })
    options.onError(shown)
    return shown
  }

  const onboard = async (isCurrent: () => boolean) => {
    holder.dispatch({ type: 'set', patch: { onboarding: { status: 'loading' } } })
    const { info, error } = await prepareOnboarding(adapter, openIO(signal), options)
    if (!isCurrent()) return error
    holder.dispatch({ type: 'set', patch: { onboarding: { status: 'ready', info } } })
    if (error) options.onError(error)
    return error
  }

  const generate = async (title: string | undefined, until: AbortSignal) => {
    const id = (await adapter.createConversation?.(openIO(until), title)) ?? ''
    return typeof id === 'string' ? id : ''
  }

  const adopt = (id: string) => {
    if (id === holder.getSnapshot().conversationID) return
    holder.dispatch({ type: 'set', patch: { conversationID: id, conversationError: null } })
  }

  const clear = () => {
    latest += 1
    runs.abandon()
    dropQueue()
    holder.dispatch({ type: 'conversation:open', id: '', messages: [] })
  }

  const createConversation = (): Promise<void> => {
    clear()
    holder.dispatch({ type: 'set', patch: { applicationContext: undefined, attachments: [] } })
    const own = latest
    const isCurrent = () => own === latest && !signal.aborted
    const work = async () => {
      const onboarding = onboard(isCurrent)
      try {
        const id = await generate(undefined, signal)
        if (isCurrent()) adopt(id)
      } catch (error) {
        if (isCurrent()) show(error)
      }
      await onboarding
    }
    pending = work()
    return pending
  }

  /** Reads a conversation and, if nothing else was asked for meanwhile, shows it. */
  const open = async (id: string, until: AbortSignal) => {
    const own = (latest += 1)
    const loaded = (await adapter.history?.load(id, openIO(until))) ?? []
    if (own !== latest || until.aborted) return
    const { conversationID, messages: shown } = holder.getSnapshot()
    // Whoever follows it has told of it meanwhile, and of what came after this was read.
    const isTold = adapter.follow !== undefined && id === conversationID && shown.length > 0
    const messages = isTold ? shown : loaded.map((message) => toChatMessage(message, newID('message')))
    holder.dispatch({ type: 'conversation:open', id, messages })
  }

  return {
    /** Resolves once no new conversation is on its way. */
    settled: () => pending,
    create: async (title: string, until: AbortSignal) => {
      const id = await generate(title, until)
      if (!until.aborted) adopt(id)
    },
    open,
    createConversation,
    clear,
    load: async (id: string): Promise<void> => {
      if (!adapter.history) throw chatKitError('unsupported', `${adapter.name} keeps no history.`)
      runs.abandon()
      dropQueue()
      await open(id, signal).catch((error: unknown) => {
        throw show(error)
      })
    },
    /** Once, when first shown; again only after it failed. */
    initialise: async (): Promise<void> => {
      if (isInitialised) return pending
      isInitialised = true
      const own = latest
      const isCurrent = () => own === latest && !signal.aborted
      const remembered = remembering.begin()
      const conversationID = options.conversationID || remembered
      const work = async () => {
        if (conversationID && adapter.history) await open(conversationID, signal)
        else if (!conversationID && options.conversationStart === 'eager') adopt(await generate(undefined, signal))
      }
      pending = work()
        .catch((error: unknown) => {
          if (signal.aborted) return
          // Deleted meanwhile, or somebody else sits there now: a fresh conversation, and nothing to tell.
          if (remembered && isGone(error)) return remembering.forget()
          isInitialised = false
          // It is still the one to go on with, once the server can be reached.
          if (remembered && latest === own + 1) adopt(remembered)
          show(error)
        })
        .finally(remembering.opened)
      // First the conversation: its messages take the place of the greeting, which would only flash.
      if (conversationID) {
        holder.dispatch({ type: 'set', patch: { onboarding: { status: 'loading' } } })
        await pending
      }
      const failure = await onboard(conversationID ? () => !signal.aborted : isCurrent)
      if (failure) isInitialised = false
      await pending
    },
  }
}
