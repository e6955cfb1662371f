import type { OnboardingInfo } from '../model/application-context.ts'
import { type ChatKitError, toChatKitError } from '../model/chat-kit-error.ts'
import type { StoreGround } from './store-ground.ts'
import type { StoreOptions } from './store-options.ts'

/** Shows the opening text, if that is still wanted once it is there. Resolves with why the back end's could not be had. */
export type Greet = (isWanted: () => boolean) => Promise<ChatKitError | undefined>

/** The default text where the back end gives none or fails; never both one after the other. */
export function createGreeting({ dispatch, openIO, options }: StoreGround): Greet {
  const { adapter, texts, onError } = options
  return async (isWanted) => {
    dispatch({ type: 'onboarding:load' })
    let info: OnboardingInfo = { prologue: texts.prologue, predefinedQuestions: [] }
    let failure: ChatKitError | undefined
    try {
      if (adapter.onboarding) info = infoOf(await adapter.onboarding(openIO()), options)
    } catch (error) {
      failure = toChatKitError(error)
    }
    if (!isWanted()) return failure
    dispatch({ type: 'onboarding:show', info })
    if (failure) onError(failure)
    return failure
  }
}

function infoOf(
  { prologue, predefinedQuestions }: OnboardingInfo,
  { texts, userName }: Pick<StoreOptions, 'texts' | 'userName'>,
): OnboardingInfo {
  const questions = (predefinedQuestions ?? []).filter((question) => question.trim() !== '')
  return { prologue: withUserName(prologue || texts.prologue, userName), predefinedQuestions: questions }
}

/** `{{user_name}}`, or nothing together with one neighbouring space. */
export function withUserName(prologue: string, name: string): string {
  if (name) return prologue.replaceAll('{{user_name}}', () => name)
  return prologue.replaceAll(/ \{\{user_name\}\}|\{\{user_name\}\} ?/g, '')
}
