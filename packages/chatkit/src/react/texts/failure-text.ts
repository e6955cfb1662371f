import type { ChatKitError } from '../../model/chat-kit-error.ts'
import type { SkinTexts } from './texts.ts'

/** What went wrong, in a sentence of our own; the platform's words only if they were written for users. */
export function failureText({ userMessage, isNotWaiting, code }: ChatKitError, texts: SkinTexts): string {
  if (userMessage !== undefined) return userMessage
  return (isNotWaiting ? texts.notWaiting : texts.errors[code]) ?? texts.errors.server
}
