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

type AskingBlock = QuestionBlock | ConfirmationBlock

/** The form that an answer is for, and how it looks once it is answered. */
type Asked = { isIt: (block: AskingBlock) => boolean; answered: (block: AskingBlock) => AskingBlock }

type Form = {
  /** The answer is on its way. */
  send: () => void
  /** It was taken. */
  settle: () => void
  /** It was not. */
  reopen: () => void
}

/**
 * Answers to what a run waits for. The run goes on in a new assistant message; the form turns read-only, and says what was
 * answered once the back end has taken it.
 */
export function createAnswering({ getSnapshot, dispatch, options, openIO }: StoreGround, runs: Runs) {
  const { adapter } = options

  const goOn = ({ send, settle, reopen }: Form, source: (io: AdapterIO) => AsyncIterable<ChatOp>) => {
    const answer = async function* (io: AdapterIO) {
      let isTaken = false
      send() // Again, when it is made once more with a new token.
      try {
        for await (const op of source(io)) {
          if (op.op === 'error') throw op.error
          if (!isTaken) settle()
          isTaken = true
          yield op
        }
        if (!isTaken) settle()
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
    return run.finished.catch((error: unknown) => {
      // Somebody was faster: the form says who, and there is nothing to mend.
      if (toChatKitError(error).decision) leaveRefused()
      throw error
    })
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

  /** What the back end has changed meanwhile is left as it says. */
  const formOf = ({ isIt, answered }: Asked): Form => {
    const replace = (isSending: boolean, next: (block: AskingBlock) => AskingBlock) => {
      for (const { messageID, content } of getSnapshot().messages)
        for (const block of content)
          if (isAsking(block) && isIt(block) && isSending === (block.content.isSending ?? false))
            dispatch({ type: 'message:ops', messageID, ops: [{ op: 'block', block: next(block) as KeyedBlock }] })
    }
    return {
      send: () => replace(false, (block) => (block.content.state === 'waiting' ? sending(block) : block)),
      settle: () => replace(true, (block) => answered(sent(block))),
      reopen: () => replace(true, sent),
    }
  }

  /** Sends an answer to the form that was asked with. */
  const give = async (kind: Kind, answer: object, asked: Asked): Promise<ChatMessage | undefined> => {
    demand(adapter, kind)
    if (runs.active() && !adapter.follow) throw busy()
    const form = formOf(asked)
    form.send()
    const { conversationID, messages } = getSnapshot()
    return goOn(form, (io) => adapter[kind]({ ...answer, conversationID, messages } as never, io))
  }

  return {
    answerQuestion: (answer: Answered<QuestionAnswer>) =>
      give('answerQuestion', answer, {
        isIt: (block) => block.type === BlockType.Question && block.content.questionID === answer.questionID,
        answered: (block) => answered(block as QuestionBlock, answer),
      }),
    answerConfirmation: (answer: Answered<ConfirmationAnswer>) =>
      give('answerConfirmation', answer, {
        isIt: (block) =>
          block.type === BlockType.Confirmation && block.content.confirmationId === answer.confirmationId,
        answered: (block) => withContent(block, { state: 'answered', approved: answer.approved }),
      }),
  }
}

const isAsking = (block: Block): block is AskingBlock =>
  block.type === BlockType.Question || block.type === BlockType.Confirmation

const withContent = (block: AskingBlock, change: object): AskingBlock =>
  ({ ...block, content: { ...block.content, ...change } }) as AskingBlock

const sending = (block: AskingBlock): AskingBlock => withContent(block, { isSending: true })

function sent(block: AskingBlock): AskingBlock {
  const { isSending: _, ...content } = block.content
  return { ...block, content } as AskingBlock
}

function answered(block: QuestionBlock, { selections, custom }: Answered<QuestionAnswer>): QuestionBlock {
  const answers = block.content.questions.map(({ question, header, options }, index) => {
    const selected = (selections[String(index)] ?? []).flatMap((option) => options[option]?.label ?? [])
    const text = custom[String(index)]
    return { question, selected, ...(header && { header }), ...(text && { custom: text }) }
  })
  return { ...block, content: { ...block.content, state: 'answered', answers } }
}
