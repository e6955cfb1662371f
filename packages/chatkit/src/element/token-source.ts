import { noTokenAdvice } from '../adapters/parley/failure-words.ts'
import { chatKitError, type ChatKitError } from '../model/chat-kit-error.ts'
import { tellDeveloper } from '../model/dev-warning.ts'
import type { ChatSettings } from './chat-settings.ts'
import { fetchToken, usableMs } from './token-url.ts'

const PATIENCE_MS = 15_000

export type GetToken = () => string | Promise<string>

export type TokenSource = {
  /** Whom the page says to ask; wins over the address in its attribute. */
  getToken: GetToken | undefined
  /** Brings a fresh token; undefined where the page did not say from where. */
  find: () => (() => Promise<string>) | undefined
  /** The token to begin with; `''` if there is none. */
  askFirst: () => Promise<string>
  /** No token is renewed any more. */
  rest: () => void
}

type TokenHost = {
  settings: () => ChatSettings | null
  /** The token ends soon. Whoever needs it next finds a new one: no answer is interrupted for it. */
  renew: () => void
  onError: (error: ChatKitError) => void
}

/** Where the tokens of one element come from. A failure is told to the developer; the chat tells the visitor. */
export function createTokenSource({ settings, renew, onError }: TokenHost): TokenSource {
  let renewal: ReturnType<typeof setTimeout> | undefined

  async function fetchFrom(address: string): Promise<string> {
    const fresh = await fetchToken(address, AbortSignal.timeout(PATIENCE_MS))
    clearTimeout(renewal)
    const waitMs = usableMs(fresh, Date.now())
    if (waitMs !== undefined) renewal = setTimeout(renew, waitMs)
    return fresh.token
  }

  const source: TokenSource = {
    getToken: undefined,
    find() {
      const address = settings()?.tokenUrl
      if (!source.getToken && !address) return undefined
      return async () => {
        try {
          return source.getToken ? await source.getToken() : await fetchFrom(address ?? '')
        } catch (cause) {
          tellDeveloper(`The chat got no token: ${cause instanceof Error ? cause.message : String(cause)}`)
          throw cause
        }
      }
    },
    async askFirst() {
      // Scripts below the element may still say how.
      if (!source.find()) await pageIsRead()
      const ask = source.find()
      if (!ask) {
        tellIfForeign(settings()?.server ?? '')
        return ''
      }
      try {
        return await ask()
      } catch (cause) {
        // The chat is shown all the same: the next request asks again.
        onError(chatKitError('auth', 'There is no token.', { cause }))
        return ''
      }
    },
    rest: () => clearTimeout(renewal),
  }
  return source
}

/** On the server's own pages the sign-in counts; everywhere else there is nothing to come in with. */
function tellIfForeign(server: string): void {
  if (!URL.canParse(server, location.href) || new URL(server, location.href).origin === location.origin) return
  tellDeveloper(noTokenAdvice(new URL(server).origin))
}

/** Until the scripts of the page that come after us have had their turn. */
async function pageIsRead(): Promise<void> {
  if (document.readyState === 'complete') return
  await new Promise<unknown>((resolve) => {
    document.addEventListener('DOMContentLoaded', resolve, { once: true })
    window.addEventListener('load', resolve, { once: true })
  })
}
