import type { StateHolder } from './state-holder.ts'

/** Tells the id whenever another conversation than the `known` one is shown. Returns the end. */
export function watchConversation(
  { getSnapshot, subscribe }: Pick<StateHolder, 'getSnapshot' | 'subscribe'>,
  known: string,
  tell: (id: string) => void,
): () => void {
  return subscribe(() => {
    const { conversationID } = getSnapshot()
    if (conversationID === known) return
    known = conversationID
    tell(conversationID)
  })
}
