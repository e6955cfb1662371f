import { LazyAttachmentList } from '../kit/lazy-views.tsx'
import { useChatState } from '../kit/use-chat-kit.ts'

/** The files that go with the next message, when there are any. */
export function Attachments() {
  return useChatState(({ attachments }) => attachments.length > 0) ? <LazyAttachmentList /> : null
}
