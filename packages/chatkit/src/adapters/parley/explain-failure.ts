import type { ChatKitError, FailureReason } from '../../model/chat-kit-error.ts'
import { tellDeveloper } from '../../model/dev-warning.ts'
import { developerWords, failureWords } from './failure-words.ts'

type Circumstances = {
  /** As it was given; `''` is the page's own. */
  server: string
  hasToken: boolean
  /** The server has answered to this credential before. */
  hasWorked: boolean
  locale: string
}

/** Finds out why nothing works, and tells whoever put the chat on the page what to do about it. */
export async function explainFailure(error: ChatKitError, at: Circumstances): Promise<ChatKitError> {
  const { location } = globalThis as { location?: { href: string; origin: string } }
  if (!location || error.userMessage !== undefined) return error
  const server = URL.canParse(at.server, location.href) ? new URL(at.server, location.href).origin : at.server
  const reason = await reasonOf(error, at, server !== location.origin ? server : undefined)
  if (!reason) return error
  // Whoever was asked for a token and gave none has told why.
  if (!isGivenNone(error)) tellDeveloper(developerWords[reason](server, location.origin))
  return Object.assign(error, { reason, userMessage: failureWords(at.locale)[reason] })
}

async function reasonOf(
  error: ChatKitError,
  { hasToken, hasWorked }: Circumstances,
  foreign: string | undefined,
): Promise<FailureReason | undefined> {
  if (error.code === 'auth') {
    if (hasWorked) return 'token_expired'
    return hasToken || isGivenNone(error) ? 'token_refused' : 'no_token'
  }
  if (error.code !== 'network' || hasWorked) return undefined
  return foreign && (await isThere(foreign)) ? 'origin_refused' : 'unreachable'
}

/** A refusal of the server has a status. */
const isGivenNone = ({ code, status }: ChatKitError) => code === 'auth' && status === undefined

/** To a page, a server that refuses it looks like one that is not there; only a request it cannot read tells. */
async function isThere(origin: string): Promise<boolean> {
  try {
    await fetch(`${origin}/api/version`, { mode: 'no-cors', credentials: 'omit', cache: 'no-store' })
    return true
  } catch {
    return false
  }
}
