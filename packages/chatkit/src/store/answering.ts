import type { ConfirmationBlock, QuestionBlock } from '../model/agent-blocks.ts'
import { BlockType } from '../model/block-type.ts'
import type { AdapterIO, ConfirmationAnswer, QuestionAnswer } from '../model/chat-adapter.ts'
import { chatKitError, toChatKitError } from '../model/chat-kit-error.ts'
import type { Block, ChatMessage } from '../model/chat-message.ts'
import type { ChatOp, KeyedBlock } from '../model/chat-op.ts'
import { RoleType } from '../model/role.ts'
import { answerMessage } from './make-message.ts'
import type { Runs } from './runs.ts'
import type { StateHolder } from './state-holder.ts'
import type { StoreOptions } from './store-options.ts'
import { isOurs } from './unlisted-failures.ts'

/** What the user said; where and after what, the store knows. */
export type Answered<Answer> = Omit<Answer, 'conversationID' | 'messages'>

type Form = { close: () => void; reopen: () => void }

type AnsweringOptions = { holder: StateHolder; runs: Runs; options: StoreOptions; openIO: () => AdapterIO }

/** Answers to what a run waits for. The run goes on in a new assistant message; the form turns read-only. */
export function createAnswering({ holder, runs, options, openIO }: AnsweringOptions) {
  const { adapter } = options

  const goOn = ({ close, reopen }: Form, source: (io: AdapterIO) => AsyncIterable<ChatOp>) => {
    const answer = async function* (io: AdapterIO) {
      let isTaken = false
      close() // Again, when it is made once more with a new token.
      try {
        for await (const op of source(io)) {
          if (op.op === 'error') throw op.error
          isTaken = true
          yield op
        }
      } catch (error) {
        if (isTaken) throw error
        // Refused: the question still waits, and the way to try again is its form.
        reopen()
        throw Object.assign(toChatKitError(error), { retryable: false })
      }
    }
    if (runs.active()) return tellActive(answer)
    leaveRefused()
    const run = runs.begin()
    const waiting = answerMessage(options, holder.getSnapshot().messages.at(-1)?.messageID)
    holder.dispatch({ type: 'run:show', messages: [waiting], messageID: waiting.messageID })
    runs.follow(run, answer)
    return run.finished
  }

  /** Another answer takes the place of one that was refused. */
  const leaveRefused = () => {
    const { messages } = holder.getSnapshot()
    const [asked, refused] = messages.slice(-2)
    const isRefused = refused?.status === 'failed' && isOurs(refused) && asked?.role.type === RoleType.Assistant
    if (isRefused) holder.dispatch({ type: 'set', patch: { messages: messages.slice(0, -1) } })
  }

  /** The run that asks is still under way and shows by itself what comes of the answer. */
  const tellActive = async (source: (io: AdapterIO) => AsyncIterable<ChatOp>) => {
    const ops = source(openIO())[Symbol.asyncIterator]()
    while (!(await ops.next()).done);
    return undefined
  }

  /** Turns the form read-only, and back again if nothing else has changed it meanwhile. */
  const form = (isIt: (block: Block) => boolean, change: (block: Block) => Block): Form => {
    const closed = new Map<Block, Block>()
    const replace = (next: (block: Block) => Block | undefined) => {
      for (const { messageID, content } of holder.getSnapshot().messages) {
        const found = content.find(isIt)
        const block = found && next(found)
        if (block)
          holder.dispatch({ type: 'message:ops', messageID, ops: [{ op: 'block', block: block as KeyedBlock }] })
      }
    }
    return {
      close: () =>
        replace((block) => {
          const after = change(block)
          closed.set(after, block)
          return after
        }),
      reopen: () => replace((block) => closed.get(block)),
    }
  }

  const check = (isSupported: boolean) => {
    if (!isSupported) throw chatKitError('unsupported', `${adapter.name} takes no answers.`)
    if (runs.active() && !adapter.follow) throw chatKitError('busy', 'A run is active. Wait for its end, or stop it.')
  }

  return {
    question: async (answer: Answered<QuestionAnswer>): Promise<ChatMessage | undefined> => {
      check(adapter.answerQuestion !== undefined)
      const isIt = (block: Block): block is QuestionBlock =>
        block.type === BlockType.Question && (block as QuestionBlock).content.questionID === answer.questionID
      const asked = form(isIt, (block) => answered(block as QuestionBlock, answer))
      asked.close()
      const { conversationID, messages } = holder.getSnapshot()
      return goOn(asked, (io) => adapter.answerQuestion!({ ...answer, conversationID, messages }, io))
    },
    confirmation: async (answer: Answered<ConfirmationAnswer>): Promise<ChatMessage | undefined> => {
      check(adapter.answerConfirmation !== undefined)
      const { confirmationId, approved } = answer
      const isIt = (block: Block): block is ConfirmationBlock =>
        block.type === BlockType.Confirmation && (block as ConfirmationBlock).content.confirmationId === confirmationId
      const asked = form(isIt, (block) => {
        const { content } = block as ConfirmationBlock
        return { ...block, content: { ...content, state: 'answered', approved } }
      })
      asked.close()
      const { conversationID, messages } = holder.getSnapshot()
      return goOn(asked, (io) => adapter.answerConfirmation!({ ...answer, conversationID, messages }, io))
    },
  }
}

function answered(block: QuestionBlock, { selections, custom }: Answered<QuestionAnswer>): QuestionBlock {
  const answers = block.content.questions.map(({ question, header, options }, index) => {
    const selected = (selections[String(index)] ?? []).flatMap((option) => options[option]?.label ?? [])
    const text = custom[String(index)]
    return { question, selected, ...(header && { header }), ...(text && { custom: text }) }
  })
  return { ...block, content: { ...block.content, state: 'answered', answers } }
}
