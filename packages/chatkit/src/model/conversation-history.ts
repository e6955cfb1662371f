/** One row of the conversation list. */
export type ConversationHistory = {
  conversationID: string
  title: string
  /** Unix seconds or ms; 13 digits and more is ms. */
  created_at: number
  updated_at: number
  message_index?: number
  read_message_index?: number
}

/** A time of a `ConversationHistory` in ms, whichever unit it came in. */
export function toMilliseconds(time: number): number {
  return time >= 1e12 ? time : time * 1000
}
