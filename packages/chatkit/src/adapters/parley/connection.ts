import { ParleyClient, type TokenGetter } from '@parley/client'
import type { AdapterIO } from '../../model/chat-adapter.ts'
import type { ChatKitError } from '../../model/chat-kit-error.ts'
import { explainFailure } from './explain-failure.ts'
import { parleyError } from './parley-error.ts'

export type Sessions = ParleyClient['sessions']

export type Connection = ReturnType<typeof createConnection>

/** The client that all conversations share: one that the page gave us, or our own for the server at `place`. */
export function createConnection(given: ParleyClient | null, place: string) {
  /** Where the token is read when a connection is made; never the token itself. */
  let tokens: Pick<AdapterIO, 'token' | 'renewToken'> = { token: () => '', renewToken: async (stale) => stale }
  let locale: string | null = null
  let own: ParleyClient | null = null
  let hasWorked = false

  const client = (io: AdapterIO): ParleyClient => {
    tokens = io
    locale = io.locale
    if (given) return given
    // One that was refused is the kit's to renew, by its own rules; one that ends soon is renewed unseen.
    const token: TokenGetter = (need) =>
      need?.because === 'expiring' ? tokens.renewToken(need.insteadOf) : tokens.token()
    return (own ??= new ParleyClient({ baseUrl: place, token, language: () => locale }))
  }

  const explain = async (error: unknown, io: AdapterIO): Promise<ChatKitError> => {
    if (given) return parleyError(error)
    const at = { server: place, hasToken: io.token() !== '', hasWorked, locale: io.locale }
    return explainFailure(parleyError(error), at)
  }

  const ask = async <Answer>(io: AdapterIO, call: (sessions: Sessions) => Promise<Answer>): Promise<Answer> => {
    try {
      const answer = await io.authorised(() =>
        call(client(io).sessions).catch((error: unknown) => {
          throw parleyError(error)
        }),
      )
      hasWorked = true
      return answer
    } catch (error) {
      throw await explain(error, io)
    }
  }

  return {
    client,
    ask,
    connect: (id: string, io: AdapterIO) => client(io).sessions.connect(id),
    /** Connects again with a new token. A client that was given to us renews its own. */
    reopen: async (id: string, io: AdapterIO): Promise<void> => {
      if (given) return
      await ask(io, async (sessions) => {
        using session = sessions.connect(id)
        await session.ready({ signal: io.signal })
      })
    },
  }
}
