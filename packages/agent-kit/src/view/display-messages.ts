import { RoleType, type ChatKitError, type ChatMessage, type ContentBlock, type MessageBlock } from '@parley/chatkit'

/** A block that stands for a whole message: the view draws it, not ChatKit. */
export const TURN_BLOCK = 'AgentKitTurn'
export type TurnBlock = ContentBlock<typeof TURN_BLOCK, { message: ChatMessage }>
/** Why an answer failed; of a failure of the past only the turn knows. */
export const FAILURE_BLOCK = 'AgentKitFailure'
export type FailureBlock = ContentBlock<typeof FAILURE_BLOCK, { error: ChatKitError | undefined }>

export type Replaced = { user: boolean; assistant: boolean }

/**
 * Messages as the view draws them: those that the page draws itself are one block, and a failure is a block of
 * its own. Unchanged messages stay the same objects.
 */
export function createDisplay({ user, assistant }: Replaced): (messages: ChatMessage[]) => ChatMessage[] {
  const made = new WeakMap<ChatMessage, ChatMessage>()
  const show = (message: ChatMessage): ChatMessage => {
    const isOne = (message.role.type === RoleType.User ? user : assistant) && message.content.length > 0
    const isFailed = message.status === 'failed'
    if (!isOne && !isFailed) return message
    const { error, ...rest } = message
    const content: MessageBlock[] = isOne ? [{ type: TURN_BLOCK, key: 'turn', content: { message } }] : message.content
    const failure: MessageBlock[] = isFailed ? [{ type: FAILURE_BLOCK, key: 'failure', content: { error } }] : []
    return { ...rest, content: [...content, ...failure] }
  }
  return (messages) =>
    messages.map((message) => {
      const shown = made.get(message) ?? show(message)
      made.set(message, shown)
      return shown
    })
}
