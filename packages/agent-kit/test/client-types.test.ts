import { expectTypeOf, test } from 'vitest'
import type { BladeClient, CreateSession, CreateSessionRequest, SessionsResource } from '../src/client.ts'

test('[W14.2] the names of a session’s request and of the sessions are exported, and are what the client has', () => {
  expectTypeOf<CreateSessionRequest>().toEqualTypeOf<CreateSession>()
  expectTypeOf<BladeClient['sessions']>().toEqualTypeOf<SessionsResource>()
})
