import type { CreatedApiKey, Invitation, User } from '@parley/protocol/rest'
import { expect } from 'vitest'
import type { World } from '../wire/world.ts'

export type Member = User & {
  /** The login, as a browser sends it. */ cookie: string
  /** An API key of theirs. */ key: string
}

/** Invites somebody, opens their link as a browser does, and makes them a key. */
export async function join(world: World, username: string, more: object = {}): Promise<Member> {
  const invited = await world.rest<Invitation>('POST', '/api/users', { body: { username, ...more } })
  expect(invited.status).toBe(201)
  const cookie = await openLink(invited.body.url)
  const headers = { cookie, origin: world.url }
  const made = await world.rest<CreatedApiKey>('POST', '/api/user/api-keys/', {
    ...{ token: null, headers, body: { name: 'mine' } },
  })
  expect(made.status).toBe(201)
  return { ...invited.body.user, cookie, key: made.body.plaintext }
}

/** The cookie that a link gives. */
export async function openLink(url: string): Promise<string> {
  const reply = await fetch(url, { redirect: 'manual' })
  expect([reply.status, reply.headers.get('location')]).toEqual([302, '/'])
  return reply.headers.get('set-cookie')!.split(';')[0]!
}
