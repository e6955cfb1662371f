import type { ChatKitError } from '../model/chat-kit-error.ts'
import { chatKitError, toChatKitError } from '../model/chat-kit-error.ts'
import { toChatMessage } from '../model/chat-message.ts'
import { newID } from '../model/new-id.ts'
import type { OpenIO } from './adapter-io.ts'
import { prepareOnboarding } from './onboarding.ts'
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
}

export type Conversations = ReturnType<typeof createConversations>

/** Which conversation is shown. The last request wins: what an earlier one brings late is dropped. */
export function createConversations({ holder, runs, openIO, options, signal, dropQueue }: ConversationsOptions) {
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
      const { conversationID } = options
      const work = async () => {
        if (conversationID && adapter.history) await open(conversationID, signal)
        else if (!conversationID && options.conversationStart === 'eager') adopt(await generate(undefined, signal))
      }
      pending = work().catch((error: unknown) => {
        isInitialised = false
        if (!signal.aborted) show(error)
      })
      const failure = await onboard(conversationID ? () => !signal.aborted : isCurrent)
      if (failure) isInitialised = false
      await pending
    },
  }
}
