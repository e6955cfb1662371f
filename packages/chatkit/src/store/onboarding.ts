import type { OnboardingInfo } from '../model/application-context.ts'
import type { AdapterIO, ChatAdapter } from '../model/chat-adapter.ts'
import { type ChatKitError, toChatKitError } from '../model/chat-kit-error.ts'
import type { StoreOptions } from './store-options.ts'

/** The opening text, or the default one when the back end gives none or fails; never both one after the other. */
export async function prepareOnboarding(
  adapter: Pick<ChatAdapter, 'onboarding'>,
  io: AdapterIO,
  { texts, userName }: Pick<StoreOptions, 'texts' | 'userName'>,
): Promise<{ info: OnboardingInfo; error?: ChatKitError }> {
  const standard: OnboardingInfo = { prologue: texts.prologue, predefinedQuestions: [] }
  if (!adapter.onboarding) return { info: standard }
  try {
    const { prologue, predefinedQuestions } = await adapter.onboarding(io)
    const questions = (predefinedQuestions ?? []).filter((question) => question.trim() !== '')
    return { info: { prologue: withUserName(prologue || texts.prologue, userName), predefinedQuestions: questions } }
  } catch (error) {
    return { info: standard, error: toChatKitError(error) }
  }
}

/** `{{user_name}}`, or nothing together with one neighbouring space. */
export function withUserName(prologue: string, name: string): string {
  if (name) return prologue.replaceAll('{{user_name}}', () => name)
  return prologue.replaceAll(/ \{\{user_name\}\}|\{\{user_name\}\} ?/g, '')
}
