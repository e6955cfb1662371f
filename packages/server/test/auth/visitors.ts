import { channel } from 'node:diagnostics_channel'
import type { CreatedToken, Scope } from '@parley/protocol/rest'
import type { FastifyInstance } from 'fastify'
import type { World } from '../wire/world.ts'

export const ALL_SCOPES: Scope[] = ['chat', 'files', 'decide']

/** A token for a visitor, made with the owner's key as a product's back end does it. */
export async function mint(world: World, subject: string, more: object = {}): Promise<CreatedToken> {
  const body = { subject, scopes: ALL_SCOPES, ...more }
  const { status, body: created } = await world.rest<CreatedToken>('POST', '/api/auth/tokens', { body })
  if (status !== 201) throw new Error(`No token: ${JSON.stringify(created)}`)
  return created
}

/** `METHOD path` of every route that a server adds from now on, whoever adds it. */
export function watchRoutes(): { routes: Set<string> } & Disposable {
  const routes = new Set<string>()
  const created = channel('fastify.initialization')
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const name of [method].flat()) routes.add(`${name} ${url}`)
    })
  }
  created.subscribe(watch)
  return {
    routes,
    [Symbol.dispose]() {
      created.unsubscribe(watch)
    },
  }
}
