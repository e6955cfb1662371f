import { ParleyClient } from '@parley/client'
import { expect, test } from 'vitest'
import { setUp } from '../../client/test/fast-client.ts'
import { BladeApiError, BladeClient } from '../src/client.ts'
import { bootstrapBladeClient } from '../src/react.ts'

test('[W14.1] under its published name the client is the same class, whoever made it', () => {
  const options = { baseUrl: 'http://127.0.0.1:1' }
  expect(new BladeClient(options)).toBeInstanceOf(ParleyClient)
  expect(bootstrapBladeClient(options)).toBeInstanceOf(BladeClient)
})

test('[W14.1] a failed call is a BladeApiError, by its class and by its name', async () => {
  await using setup = await setUp()
  const failed: unknown = await setup.client.sessions.getSession('sess_nowhere').catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(BladeApiError)
  expect(failed).toMatchObject({ name: 'BladeApiError', status: 404, detail: 'No such session.' })
})
