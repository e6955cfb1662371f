import { type ChatKitError, toChatKitError } from '../model/chat-kit-error.ts'
import type { StoreGround } from './store-ground.ts'

/** Shows a failure and tells the host. */
export function reportFailure(
  { dispatch, options }: StoreGround,
  type: 'conversation:fail' | 'list:fail',
  cause: unknown,
): ChatKitError {
  const error = toChatKitError(cause)
  dispatch({ type, error })
  options.onError(error)
  return error
}
