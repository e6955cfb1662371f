import type { ChatAdapter } from '../../../src/model/chat-adapter.ts'
import type { ChatMessageInput } from '../../../src/model/chat-message.ts'
import { chatKitError } from '../../../src/model/chat-kit-error.ts'
import type { ChatOp } from '../../../src/model/chat-op.ts'

/** A back end that says what the test says, when the test says it. */
export function createScript(scenes: Record<string, ChatMessageInput[]>, isLate = false) {
  let queue: ChatOp[] = []
  let isFinished = false
  let wake = () => {}
  const answers: unknown[] = []

  async function* ops(): AsyncGenerator<ChatOp> {
    queue = []
    isFinished = false
    for (;;) {
      while (queue.length > 0) yield queue.shift()!
      if (isFinished) return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  /** Somebody else has decided. */
  async function* tooLate(): AsyncGenerator<ChatOp> {
    yield* []
    const decision = { outcome: 'rejected', by: 'Mei Lin', at: '2026-11-18T14:20:00Z' } as const
    throw chatKitError('not_found', 'late', { isNotWaiting: true, decision })
  }

  const now = Date.now()
  const adapter: ChatAdapter = {
    name: 'Test',
    onboarding: async () => ({
      prologue: 'Hello {{user_name}}! I know about **rivers**.',
      predefinedQuestions: ['How high is the Rhine?', '莱茵河现在水位多高？', 'Compare Kaub and Köln'],
    }),
    createConversation: async () => 'new',
    send: ops,
    isAuthError: () => false,
    history: {
      list: async () =>
        Object.keys(scenes).map((id, i) => ({
          conversationID: id,
          title: `Conversation ${id}`,
          created_at: now - i * 90_000_000,
          updated_at: now - i * 90_000_000,
        })),
      load: async (id) => scenes[id] ?? [],
      remove: async () => {},
    },
    upload: async (file) => ({ name: file.name, mediaType: file.type, size: file.size, id: file.name }),
    feedback: async () => {},
    answerQuestion: (answer) => {
      answers.push(answer)
      return ops()
    },
    answerConfirmation: (answer) => {
      answers.push(answer)
      return isLate ? tooLate() : ops()
    },
  }
  const push = (op: ChatOp) => {
    queue.push(op)
    wake()
  }
  const finish = () => {
    isFinished = true
    wake()
  }
  return { adapter, push, finish, answers }
}
