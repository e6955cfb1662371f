import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OidcOptions } from '../../src/auth/oidc/oidc-options.ts'
import { type Store, World } from '../wire/world.ts'
import { CLIENT, startProvider, type TestProvider } from './provider.ts'

export const CALLBACK = '/api/auth/oidc/callback'

/** One that nobody has just now: the provider must know where people come back to. */
async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A provider, and a server that lets some of its people in. */
export async function openBoth(store: Store): Promise<{ provider: TestProvider; world: World }> {
  const port = await freePort()
  const provider = await startProvider(`http://127.0.0.1:${port}${CALLBACK}`)
  const oidc: OidcOptions = {
    ...{ issuer: provider.issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, name: 'The <House>' },
    allow: { emailDomains: ['house.example'], claims: { groups: ['staff', 'board'] } },
  }
  return { provider, world: await World.open(store, { port, oidc }) }
}
