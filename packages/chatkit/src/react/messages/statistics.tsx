import type { ChatMessage } from '../../model/chat-message.ts'
import { useKit } from '../kit/kit-context.ts'
import { useChatState } from '../kit/use-chat-kit.ts'
import { formatCount, formatSeconds } from '../texts/format.ts'
import { groupOf, sumOf } from './message-groups.ts'

/** How long an answer took and how many tokens it cost, all of its messages together. */
export function Statistics({ message }: { message: ChatMessage }) {
  const { texts, locale } = useKit().options
  const elapsedSeconds = useChatState(({ messages }) => sumOf(groupOf(messages, message), 'elapsedSeconds'))
  const totalTokens = useChatState(({ messages }) => sumOf(groupOf(messages, message), 'totalTokens'))
  const parts = [
    elapsedSeconds === undefined ? '' : texts.seconds(formatSeconds(elapsedSeconds * 1000, locale)),
    totalTokens === undefined ? '' : texts.tokens(formatCount(totalTokens, locale)),
  ].filter(Boolean)
  return parts.length === 0 ? null : <span className="ck-statistics">{parts.join(' · ')}</span>
}
