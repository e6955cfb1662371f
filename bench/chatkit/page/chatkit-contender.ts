import '@parley/chatkit/chatkit.css'
import { mountChatKit, type ChatAdapter, type ChatMessageInput, type ChatOp, type SkinProps } from '@parley/chatkit'
import type { BenchMessage, Contender } from './contender.ts'

/** The whole kit over a back end that says what the bench says. */
export const chatKitContender = (markdown?: SkinProps['markdown']): Contender => ({
  async mount(place, messages, onSend) {
    const answer = createAnswer()
    const adapter: ChatAdapter = {
      name: 'Bench',
      createConversation: async () => 'bench',
      send: ({ text }) => {
        onSend(text)
        return answer.ops()
      },
      isAuthError: () => false,
      history: { list: async () => [], load: async () => messages.map(toMessage), remove: async () => {} },
    }
    const kit = mountChatKit(place, { adapter, mode: 'assistant', theme: 'light', locale: 'en', markdown })
    if (messages.length > 0) await kit.loadConversation('bench')
    let sent: Promise<unknown> | undefined
    return {
      ask(text) {
        sent = kit.send(text)
      },
      append: (delta) => answer.push({ op: 'text_delta', key: '0', delta }),
      async finish() {
        answer.finish()
        await sent
      },
      unmount: kit.unmount,
    }
  },
})

function toMessage({ isUser, text }: BenchMessage, i: number): ChatMessageInput {
  return {
    messageID: `m${i}`,
    role: { name: isUser ? 'Mira' : 'Assistant', type: isUser ? 'User' : 'Assistant', avatar: '' },
    content: [{ type: isUser ? 'Text' : 'Markdown', content: text, key: '0' }],
    createdAt: 1_772_530_860_000,
  }
}

function createAnswer() {
  let queue: ChatOp[] = []
  let isFinished = false
  let wake = () => {}
  return {
    async *ops(): AsyncGenerator<ChatOp> {
      for (;;) {
        yield* queue.splice(0)
        if (isFinished) break
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      isFinished = false
      queue = []
    },
    push(op: ChatOp) {
      queue.push(op)
      wake()
    },
    finish() {
      isFinished = true
      wake()
    },
  }
}
