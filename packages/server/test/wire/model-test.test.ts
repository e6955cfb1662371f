import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ModelsConfig, ModelTest } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { mint } from '../auth/visitors.ts'
import { sharedWorld, STORES } from './world.ts'

const KEY = 'sk-test-key-that-nobody-may-see'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store, {
    models: [
      {
        id: 'elsewhere',
        provider: 'openai-compatible',
        url: 'http://no-such-host.invalid/v1',
        model: 'm',
        apiKey: KEY,
      },
      { id: 'closed', provider: 'openai-compatible', url: 'http://127.0.0.1:9/v1', model: 'm', apiKey: KEY },
    ],
  })
  const probe = async (body: object, token?: string) =>
    world().rest<ModelTest>('POST', '/api/config/models/test', { body, ...(token && { token }) })
  const statuses = ({ steps }: ModelTest) => steps.map(({ step, status }) => `${step} ${status}`)

  test('[W12.21.6] a test walks the way to a model, with a time for each step, and has it say something', async () => {
    world().learn({ ping: [{ text: 'pong' }] })
    const { status, body } = await probe({ model: 'fake-model' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ ok: true, model: 'fake-model' })
    expect(statuses(body)).toEqual(['resolve ok', 'connect ok', 'key skipped', 'list ok', 'first_token ok'])
    for (const { ms } of body.steps) expect(ms).toBeGreaterThanOrEqual(0)
  })

  test('[W12.21.6] it stops where the way ends, and says why', async () => {
    const unknown = await probe({ model: 'elsewhere' })
    expect(unknown.body.ok).toBe(false)
    expect(statuses(unknown.body).slice(0, 2)).toEqual(['resolve failed', 'connect skipped'])
    const closed = await probe({ model: 'closed' })
    expect(statuses(closed.body).slice(0, 3)).toEqual(['resolve ok', 'connect failed', 'key skipped'])
    expect(closed.body.steps[1]!.detail).toContain('ECONNREFUSED')
  })

  test('[W12.21.7] a refused key is told as that, and the key itself never', async () => {
    await using refusing = await refuses()
    await using other = await refusingWorld(refusing.url)
    const { body } = await other.rest<ModelTest>('POST', '/api/config/models/test', { body: { model: 'barred' } })
    expect(statuses(body)).toEqual(['resolve ok', 'connect ok', 'key failed', 'list skipped', 'first_token skipped'])
    expect(body.steps[2]!.detail).toContain('HTTP 401')
    expect(JSON.stringify(body)).not.toContain(KEY)
  })

  test('[W12.21.8] an address that somebody thinks of adding may not be a private one', async () => {
    for (const url of [
      'http://127.0.0.1:9/v1',
      'http://[::1]:9/v1',
      'http://169.254.169.254/v1',
      'http://localhost:9/v1',
    ]) {
      const { body } = await probe({ url, api_key: KEY })
      expect(statuses(body)).toEqual([
        'resolve failed',
        'connect skipped',
        'key skipped',
        'list skipped',
        'first_token skipped',
      ])
      expect(JSON.stringify(body)).not.toContain(KEY)
    }
  })

  test('[W12.21.9] only the owner tests, names what there is, and nothing else', async () => {
    const { token } = await mint(world(), 'bert')
    for (const other of [world().strangersKey, token])
      expect((await probe({ model: 'closed' }, other)).status).toBe(403)
    expect((await probe({ model: 'nobody' })).body).toMatchObject({ code: 'model_not_available' })
    expect((await probe({})).status).toBe(422)
    expect((await probe({ model: 'closed', api_key: KEY })).status).toBe(422)
    expect((await probe({ model: 'closed', retries: 3 })).status).toBe(422)
  })

  test('[W12.21.10] each model says where it comes from, to people of the account alone', async () => {
    const added = { name: 'mine', provider: 'openai', base_url: 'https://models.example.com/v1', api_key: KEY }
    const models = [{ model_id: 'big' }]
    const { body: made } = await world().rest<{ id: number }>('POST', '/api/models/configs', {
      body: { ...added, models },
    })
    const list = (token?: string) =>
      world().rest<ModelsConfig>('GET', '/api/config/models', token === undefined ? {} : { token })
    const { body } = await list()
    const sources = Object.fromEntries(body.models.map(({ id, source }) => [id, source]))
    expect(sources).toMatchObject({
      closed: { from: 'configuration' },
      'fake-model': { from: 'environment', variable: 'PARLEY_MODEL_URL' },
      [`config:${made.id}/big`]: { from: 'added' },
    })
    expect(JSON.stringify(body)).not.toContain(KEY)
    const { token } = await mint(world(), 'carla')
    const visitors = (await list(token)).body.models
    expect(visitors.some(({ source }) => source !== undefined)).toBe(false)
    expect(visitors.map(({ id }) => id)).not.toContain(`config:${made.id}/big`)
    await world().rest('DELETE', `/api/models/configs/${made.id}`)
  })

  async function refusingWorld(url: string) {
    const { World } = await import('./world.ts')
    return World.open(store, {
      models: [{ id: 'barred', provider: 'openai-compatible', url: `${url}/v1`, model: 'm', apiKey: KEY }],
    })
  }
})

/** Repeats the key that it refuses, as some do. */
async function refuses(): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: `No such key: ${request.headers.authorization}` } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
