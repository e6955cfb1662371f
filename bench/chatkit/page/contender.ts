/** What a page offers to the bench, whoever draws it. */
export type BenchMessage = { isUser: boolean; text: string }

export type Mounted = {
  /** A question was asked: its answer is awaited, and empty. */
  ask: (text: string) => void
  /** More of the answer has come. */
  append: (delta: string) => void
  /** The answer is complete; resolves when its chat knows. */
  finish: () => Promise<void>
  unmount: () => void
}

export type Contender = {
  /** Draws a conversation into an empty element; `onSend` hears of every message sent with its text box. */
  mount: (place: Element, messages: readonly BenchMessage[], onSend: (text: string) => void) => Promise<Mounted>
}
