import { ParleyClient, type ParleyClientOptions, type TokenNeed } from '@parley/client'
import { createContext, useContext, useEffect, useLayoutEffect, useMemo, useRef, type ReactNode } from 'react'
import { pageLanguage } from './page-language.ts'
import { findRegisteredClient, registerClient } from './registered-client.ts'

const ClientContext = createContext<ParleyClient | null>(null)

export type BladeClientProviderProps = { children?: ReactNode } & (
  | { client: ParleyClient }
  | {
      /** Origin of the server; another one makes another client. */
      baseUrl: string
      /** Another one counts from the next request and the next connection on. */
      token?: ParleyClientOptions['token']
    }
)

/** Gives the parts below it a client, and makes it the application's. */
export function BladeClientProvider(props: BladeClientProviderProps) {
  const given = 'client' in props ? props.client : null
  const baseUrl = 'baseUrl' in props ? props.baseUrl : ''
  const token = useRef<ParleyClientOptions['token']>(undefined)
  token.current = 'baseUrl' in props ? props.token : undefined
  const client = useMemo(
    () => given ?? new ParleyClient({ baseUrl, token: (need) => read(token.current, need), language: pageLanguage }),
    [given, baseUrl],
  )
  // Before the effects of the parts below: they call the API shortcuts.
  useBeforeEffects(() => registerClient(client), [client])
  return <ClientContext.Provider value={client}>{props.children}</ClientContext.Provider>
}

/** The client of the provider around this, else the application's. */
export function useBladeClient(): ParleyClient {
  const client = useContext(ClientContext) ?? findRegisteredClient()
  if (client) return client
  throw new Error('There is no client. Put <BladeClientProvider> around this, or call bootstrapBladeClient() first.')
}

/** React warns about layout effects on a server, where none of them run. */
const useBeforeEffects = typeof document === 'undefined' ? useEffect : useLayoutEffect

function read(token: ParleyClientOptions['token'], need: TokenNeed | undefined) {
  return typeof token === 'function' ? token(need) : token
}
