import { toChatKitError } from '../model/chat-kit-error.ts'
import { toChatMessage } from '../model/chat-message.ts'
import { newID } from '../model/new-id.ts'
import { demand } from './demand.ts'
import type { Greet } from './onboarding.ts'
import type { Remembering } from './remembering.ts'
import { reportFailure } from './report-failure.ts'
import type { Runs } from './runs.ts'
import type { StoreGround } from './store-ground.ts'

type Others = { runs: Runs; greet: Greet; remembering: Remembering; dropQueue: () => void }

export type Conversations = ReturnType<typeof createConversations>

const isGone = (error: unknown) => ['not_found', 'forbidden'].includes(toChatKitError(error).code)

/** Which conversation is shown. The last request wins: what an earlier one brings late is dropped. */
export function createConversations(ground: StoreGround, { runs, greet, remembering, dropQueue }: Others) {
  const { getSnapshot, dispatch, openIO, options, signal } = ground
  const { adapter } = options
  let asked = 0
  let isInitialised = false
  let pending: Promise<void> = Promise.resolve()

  const fail = (error: unknown) => reportFailure(ground, 'conversation:fail', error)
  const name = (id: string) => dispatch({ type: 'conversation:name', id })

  const create = async (until: AbortSignal, title?: string, isWanted = () => !until.aborted) => {
    const id: unknown = await adapter.createConversation?.(openIO(until), title)
    if (isWanted()) name(typeof id === 'string' ? id : '')
  }

  const leave = () => {
    asked += 1
    runs.abandon()
    dropQueue()
  }

  /** Reads a conversation and, if nothing else was asked for meanwhile, shows it. */
  const open = async (id: string, until: AbortSignal) => {
    const own = (asked += 1)
    const loaded = (await adapter.history?.load(id, openIO(until))) ?? []
    if (own !== asked || until.aborted) return
    const { conversationID, messages: shown } = getSnapshot()
    // Whoever follows it has told of it meanwhile, and of what came after this was read.
    const isTold = adapter.follow !== undefined && id === conversationID && shown.length > 0
    const messages = isTold ? shown : loaded.map((message) => toChatMessage(message, newID('message')))
    dispatch({ type: 'conversation:open', id, messages })
  }

  const openFirst = async (id: string) => {
    if (id && adapter.history) await open(id, signal)
    else if (!id && options.conversationStart === 'eager') await create(signal)
  }

  return {
    /** Resolves once no new conversation is on its way. */
    settled: () => pending,
    create,
    open,
    /** Once, when first shown; again only after it failed. */
    initialise: async (): Promise<void> => {
      if (isInitialised) return pending
      isInitialised = true
      const before = asked
      const remembered = remembering.begin()
      const conversationID = options.conversationID || remembered
      pending = openFirst(conversationID)
        .catch((error: unknown) => {
          if (signal.aborted) return
          // Deleted meanwhile, or somebody else sits there now: a fresh conversation, and nothing to tell.
          if (remembered && isGone(error)) return remembering.forget()
          isInitialised = false
          // It is still the one to go on with, once the server can be reached.
          if (remembered && asked === before + 1) name(remembered)
          fail(error)
        })
        .finally(remembering.opened)
      // First the conversation: its messages take the place of the greeting, which would only flash.
      if (conversationID) {
        dispatch({ type: 'onboarding:load' })
        await pending
      }
      const isWanted = () => !signal.aborted && (conversationID !== '' || asked === before)
      if (await greet(isWanted)) isInitialised = false
      await pending
    },
    createConversation: (): Promise<void> => {
      leave()
      dispatch({ type: 'conversation:new' })
      const own = asked
      const isWanted = () => own === asked && !signal.aborted
      const greeting = greet(isWanted)
      const creating = create(signal, undefined, isWanted).catch((error: unknown) => {
        if (isWanted()) fail(error)
      })
      pending = Promise.all([greeting, creating]).then(() => {})
      return pending
    },
    clearConversation: (): void => {
      leave()
      dispatch({ type: 'conversation:open', id: '', messages: [] })
    },
    loadConversation: async (id: string): Promise<void> => {
      demand(adapter, 'history')
      leave()
      await open(id, signal).catch((error: unknown) => {
        throw fail(error)
      })
    },
  }
}
