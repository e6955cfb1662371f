import { ParleyClient, type ParleyClientOptions } from '@parley/client'
import { pageLanguage } from './page-language.ts'
import { registerClient } from './registered-client.ts'

/** Creates the application's client. From now on the stores and the API shortcuts work with it. */
export function bootstrapBladeClient(options: ParleyClientOptions): ParleyClient {
  const client = new ParleyClient({ language: pageLanguage, ...options })
  registerClient(client)
  return client
}
