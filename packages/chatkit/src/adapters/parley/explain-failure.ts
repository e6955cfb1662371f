import type { ChatKitError, FailureReason } from '../../model/chat-kit-error.ts'
import { tellDeveloper } from '../../model/dev-warning.ts'

type Circumstances = {
  /** As it was given; `''` is the page's own. */
  server: string
  hasToken: boolean
  /** The server has answered to this credential before. */
  hasWorked: boolean
}

/** Finds out why nothing works, and tells whoever put the chat on the page what to do about it. */
export async function explainFailure(error: ChatKitError, at: Circumstances): Promise<ChatKitError> {
  const { location } = globalThis as { location?: { href: string; origin: string } }
  if (!location || error.reason || error.userMessage !== undefined) return error
  const server = URL.canParse(at.server, location.href) ? new URL(at.server, location.href).origin : at.server
  const reason = await reasonOf(error, at, server !== location.origin ? server : undefined)
  if (!reason) return error
  tellDeveloper(WHAT_TO_DO[reason](server, location.origin))
  return Object.assign(error, { reason })
}

async function reasonOf(
  { code }: ChatKitError,
  { hasToken, hasWorked }: Circumstances,
  foreign: string | undefined,
): Promise<FailureReason | undefined> {
  if (code === 'auth') return hasToken ? (hasWorked ? 'token_expired' : 'token_refused') : 'no_token'
  if (code !== 'network' || hasWorked) return undefined
  return foreign && (await isThere(foreign)) ? 'origin_refused' : 'unreachable'
}

/** To a page, a server that refuses it looks like one that is not there; only a request it cannot read tells. */
async function isThere(origin: string): Promise<boolean> {
  try {
    await fetch(`${origin}/api/version`, { mode: 'no-cors', credentials: 'omit', cache: 'no-store' })
    return true
  } catch {
    return false
  }
}

const WHAT_TO_DO: Record<FailureReason, (server: string, page: string) => string> = {
  no_token: (server) =>
    `The chat has no token for ${server}. Give the script tag data-token-url, <parley-chat> token-url or getToken, or <ChatKit> token and refreshToken.`,
  token_refused: (server) =>
    `${server} does not accept the token. It takes API keys of its own, and tokens that POST /api/auth/tokens gave for one of them.`,
  token_expired: (server) =>
    `${server} no longer accepts the token, and no newer one was given. Let data-token-url, token-url, getToken or refreshToken make a fresh one each time.`,
  origin_refused: (server, page) =>
    `${server} refuses pages of ${page}. Start it with PARLEY_ALLOWED_ORIGINS=${page} (a comma list), and with PARLEY_PUBLIC_URL=${server} if it is reached under that name.`,
  unreachable: (server) =>
    `${server} cannot be reached. Is Parley running there, may this page connect to it (connect-src of its policy), and are both https?`,
}
