import { chatKitError, toChatKitError } from '../model/chat-kit-error.ts'
import { devWarning } from '../model/dev-warning.ts'
import { isJsonResponse, readBody } from '../stream/read-answer.ts'

export type TokenGateOptions = {
  token?: string | undefined
  refreshToken?: (() => Promise<string>) | undefined
  isAuthError: (status: number, error: unknown) => boolean
}

export type Failure = { status: number; error: unknown }

export type TokenGate = {
  token: () => string
  /** The host page's token. A refreshed one stays until the host passes another value. */
  setToken: (token: string) => void
  setRefreshToken: (refreshToken: (() => Promise<string>) | undefined) => void
  /** Does this failure ask for a new token, and can there be one? */
  canRefresh: (failure: Failure) => boolean
  /** A token newer than `stale`. Calls that fail together share one refresh. */
  refresh: (stale: string) => Promise<void>
  /** Makes the call, and once more with a new token if the first was refused for its token. */
  call: <T>(attempt: (token: string) => Promise<T>, inspect?: (result: T) => Promise<Failure | undefined>) => Promise<T>
}

const LONG_LIVED_KEY = /^(?:bearer\s+)?(?:pat_|app-|sk-)/i

/** Refresh once, then give up. Holds the token in memory and nowhere else. */
export function createTokenGate({ token = '', refreshToken, isAuthError }: TokenGateOptions): TokenGate {
  devWarning(
    () => LONG_LIVED_KEY.test(token),
    'The token looks like a long-lived key. Keys belong on a server: put a proxy in between.',
  )
  let given = token
  let current = token
  let refreshing: Promise<void> | null = null

  const renew = async (ask: () => Promise<string>) => {
    const fresh = await ask().catch((cause: unknown) => {
      throw chatKitError('auth', 'The token is no longer valid and refreshing it failed.', { cause })
    })
    if (!fresh) throw chatKitError('auth', 'The token is no longer valid and refreshToken() gave none.')
    current = fresh
  }

  const gate: TokenGate = {
    token: () => current,
    setToken(next) {
      if (next === given) return
      given = next
      current = next
    },
    setRefreshToken(next) {
      refreshToken = next
    },
    canRefresh: ({ status, error }) => refreshToken !== undefined && isAuthError(status, error),
    async refresh(stale) {
      if (stale !== current || !refreshToken) return
      refreshing ??= renew(refreshToken).finally(() => {
        refreshing = null
      })
      await refreshing
    },
    async call(attempt, inspect) {
      const used = current
      const first = await settle(attempt, used, inspect)
      if (!first.failure || !gate.canRefresh(first.failure)) return first.take()
      await gate.refresh(used)
      const second = await settle(attempt, current, inspect)
      if (second.failure && isAuthError(second.failure.status, second.failure.error)) throw gaveUp(second.failure)
      return second.take()
    },
  }
  return gate
}

/** What an HTTP answer says about the token: errors by status, and bodies that report a failure under 200. */
export async function inspectResponse(response: Response): Promise<Failure | undefined> {
  if (response.status < 400 && !isJsonResponse(response)) return undefined
  return { status: response.status, error: await readBody(response.clone()) }
}

/** `Authorization` for a token that may already say `Bearer`. */
export function bearer(token: string): string {
  return /^bearer\s/i.test(token) ? token : `Bearer ${token}`
}

type Settled<T> = { failure: Failure | undefined; take: () => T }

async function settle<T>(
  attempt: (token: string) => Promise<T>,
  token: string,
  inspect: ((result: T) => Promise<Failure | undefined>) | undefined,
): Promise<Settled<T>> {
  try {
    const value = await attempt(token)
    return { failure: await inspect?.(value), take: () => value }
  } catch (error) {
    const rethrow = () => {
      throw error
    }
    return { failure: failureOf(error), take: rethrow }
  }
}

/** Failures that calls throw: ours, or any error that carries a status. */
export function failureOf(error: unknown): Failure {
  const { status = 0, cause, error: body } = (error ?? {}) as { status?: number; cause?: unknown; error?: unknown }
  const details = body ?? cause
  return {
    status,
    error: typeof details === 'object' && details !== null ? details : { message: toChatKitError(error).message },
  }
}

function gaveUp({ status, error }: Failure) {
  return chatKitError('auth', 'The token was refused again after it had been refreshed.', { status, cause: error })
}
