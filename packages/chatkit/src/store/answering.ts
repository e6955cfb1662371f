import type { ConfirmationBlock, QuestionBlock } from '../model/agent-blocks.ts'
import { BlockType } from '../model/block-type.ts'
import type { AdapterIO, ConfirmationAnswer, QuestionAnswer } from '../model/chat-adapter.ts'
import { toChatKitError } from '../model/chat-kit-error.ts'
import type { Block, ChatMessage } from '../model/chat-message.ts'
import type { ChatOp, KeyedBlock } from '../model/chat-op.ts'
import { RoleType } from '../model/role.ts'
import { demand } from './demand.ts'
import { answerMessage } from './make-message.ts'
import { busy, type Runs } from './runs.ts'
import type { StoreGround } from './store-ground.ts'
import { isOurs } from './unlisted-failures.ts'

/** What the user said; where and after what, the store knows. */
export type Answered<Answer> = Omit<Answer, 'conversationID' | 'messages'>

type Kind = 'answerQuestion' | 'answerConfirmation'

/** The form as it looks once it is answered; nothing for any other block. */
type Closed = (block: Block) => Block | undefined

type Form = { close: () => void; reopen: () => void }

/** Answers to what a run waits for. The run goes on in a new assistant message; the form turns read-only. */
export function createAnswering({ getSnapshot, dispatch, options, openIO }: StoreGround, runs: Runs) {
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
    const waiting = answerMessage(options, getSnapshot().messages.at(-1)?.messageID)
    dispatch({ type: 'run:show', messages: [waiting], messageID: waiting.messageID })
    runs.follow(run, answer)
    return run.finished
  }

  /** Another answer takes the place of one that was refused. */
  const leaveRefused = () => {
    const { messages } = getSnapshot()
    const [asked, refused] = messages.slice(-2)
    const isRefused = refused?.status === 'failed' && isOurs(refused) && asked?.role.type === RoleType.Assistant
    if (isRefused) dispatch({ type: 'message:withdraw', messages: [refused] })
  }

  /** The run that asks is still under way and shows by itself what comes of the answer. */
  const tellActive = async (source: (io: AdapterIO) => AsyncIterable<ChatOp>) => {
    const ops = source(openIO())[Symbol.asyncIterator]()
    while (!(await ops.next()).done);
    return undefined
  }

  /** Turns the form read-only, and back again if nothing else has changed it meanwhile. */
  const formOf = (closed: Closed): Form => {
    const before = new Map<Block, Block>()
    const replace = (next: Closed) => {
      for (const { messageID, content } of getSnapshot().messages)
        for (const block of content) {
          const after = next(block)
          if (after) dispatch({ type: 'message:ops', messageID, ops: [{ op: 'block', block: after as KeyedBlock }] })
        }
    }
    return {
      close: () =>
        replace((block) => {
          const after = closed(block)
          if (after) before.set(after, block)
          return after
        }),
      reopen: () => replace((block) => before.get(block)),
    }
  }

  /** Sends an answer, about the form that `closed` knows and turns read-only. */
  const give = async (kind: Kind, answer: object, closed: Closed): Promise<ChatMessage | undefined> => {
    demand(adapter, kind)
    if (runs.active() && !adapter.follow) throw busy()
    const form = formOf(closed)
    form.close()
    const { conversationID, messages } = getSnapshot()
    return goOn(form, (io) => adapter[kind]({ ...answer, conversationID, messages } as never, io))
  }

  return {
    answerQuestion: (answer: Answered<QuestionAnswer>) =>
      give('answerQuestion', answer, (block) =>
        isQuestion(block) && block.content.questionID === answer.questionID ? answered(block, answer) : undefined,
      ),
    answerConfirmation: (answer: Answered<ConfirmationAnswer>) =>
      give('answerConfirmation', answer, (block) => {
        if (!isConfirmation(block) || block.content.confirmationId !== answer.confirmationId) return undefined
        return { ...block, content: { ...block.content, state: 'answered', approved: answer.approved } }
      }),
  }
}

const isQuestion = (block: Block): block is QuestionBlock => block.type === BlockType.Question
const isConfirmation = (block: Block): block is ConfirmationBlock => block.type === BlockType.Confirmation

function answered(block: QuestionBlock, { selections, custom }: Answered<QuestionAnswer>): QuestionBlock {
  const answers = block.content.questions.map(({ question, header, options }, index) => {
    const selected = (selections[String(index)] ?? []).flatMap((option) => options[option]?.label ?? [])
    const text = custom[String(index)]
    return { question, selected, ...(header && { header }), ...(text && { custom: text }) }
  })
  return { ...block, content: { ...block.content, state: 'answered', answers } }
}
