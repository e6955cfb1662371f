import type { ConfirmationBlock, QuestionBlock } from '../model/agent-blocks.ts'
import { BlockType } from '../model/block-type.ts'
import type { AdapterIO, ConfirmationAnswer, QuestionAnswer } from '../model/chat-adapter.ts'
import { chatKitError } from '../model/chat-kit-error.ts'
import type { Block, ChatMessage } from '../model/chat-message.ts'
import type { ChatOp, KeyedBlock } from '../model/chat-op.ts'
import { answerMessage } from './make-message.ts'
import type { Runs } from './runs.ts'
import type { StateHolder } from './state-holder.ts'
import type { StoreOptions } from './store-options.ts'

/** What the user said; where and after what, the store knows. */
export type Answered<Answer> = Omit<Answer, 'conversationID' | 'messages'>

type AnsweringOptions = { holder: StateHolder; runs: Runs; options: StoreOptions; openIO: () => AdapterIO }

/** Answers to what a run waits for. The run goes on in a new assistant message; the form turns read-only. */
export function createAnswering({ holder, runs, options, openIO }: AnsweringOptions) {
  const { adapter } = options

  const goOn = (source: (io: AdapterIO) => AsyncIterable<ChatOp>) => {
    if (runs.active()) return tellActive(source)
    const run = runs.begin()
    const answer = answerMessage(options, holder.getSnapshot().messages.at(-1)?.messageID)
    holder.dispatch({ type: 'run:show', messages: [answer], messageID: answer.messageID })
    runs.follow(run, source)
    return run.finished
  }

  /** The run that asks is still under way and shows by itself what comes of the answer. */
  const tellActive = async (source: (io: AdapterIO) => AsyncIterable<ChatOp>) => {
    for await (const op of source(openIO())) if (op.op === 'error') throw op.error
    return undefined
  }

  const close = (isIt: (block: Block) => boolean, change: (block: Block) => Block) => {
    for (const { messageID, content } of holder.getSnapshot().messages) {
      const block = content.find(isIt)
      if (!block) continue
      holder.dispatch({ type: 'message:ops', messageID, ops: [{ op: 'block', block: change(block) as KeyedBlock }] })
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
      close(isIt, (block) => answered(block as QuestionBlock, answer))
      const { conversationID, messages } = holder.getSnapshot()
      return goOn((io) => adapter.answerQuestion!({ ...answer, conversationID, messages }, io))
    },
    confirmation: async (answer: Answered<ConfirmationAnswer>): Promise<ChatMessage | undefined> => {
      check(adapter.answerConfirmation !== undefined)
      const { confirmationId, approved } = answer
      const isIt = (block: Block): block is ConfirmationBlock =>
        block.type === BlockType.Confirmation && (block as ConfirmationBlock).content.confirmationId === confirmationId
      close(isIt, (block) => {
        const { content } = block as ConfirmationBlock
        return { ...block, content: { ...content, state: 'answered', approved } }
      })
      const { conversationID, messages } = holder.getSnapshot()
      return goOn((io) => adapter.answerConfirmation!({ ...answer, conversationID, messages }, io))
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
