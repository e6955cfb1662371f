import type { ChatKitErrorCode } from '../../model/chat-kit-error.ts'

/** What is written, and what can be done with it. */
export type ComposerHandle = {
  text: string
  setText: (text: string) => void
  isRunning: boolean
  canSend: boolean
  send: () => void
  stop: () => void
  addFiles: ((files: Iterable<File>) => void) | undefined
  /** Why the last try was refused; gone with the next change. */
  hint: ChatKitErrorCode | undefined
  /** Id of the element that says so, for whom the text box is described by it. */
  hintID: string
}

export type ComposerPartProps = { composer: ComposerHandle }
