import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { createEgress } from '../../src/egress/egress.ts'
import { startNameServer } from './name-server.ts'
import { startSite } from './site.ts'

// A real name server that changes its mind. 127.0.0.2 stands for the public internet (the operator allows it), 127.0.0.1
// for what is inside; both listen on the same port.

const PUBLIC = '127.0.0.2'
const INSIDE = '127.0.0.1'

async function world(lists: string[][], answer: (path: string, response: ServerResponse) => void) {
  const parts = new AsyncDisposableStack()
  const names = parts.use(await startNameServer(lists))
  const { site, inside } = await twoSites(answer, parts)
  const egress = parts.use(createEgress({ resolve: names.resolve, allow: [`${PUBLIC}/32`] }))
  const ask = async (path = '/') => {
    const { body } = await egress.request(site.at('rebind.example', path), {
      signal: new AbortController().signal,
      timeoutMs: 10_000,
      maxBytes: 1_000,
    })
    return Buffer.from(body).toString()
  }
  return { names, site, inside, ask, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

/** On one port of two addresses; one that is free on the first may be taken on the second. */
async function twoSites(answer: (path: string, response: ServerResponse) => void, parts: AsyncDisposableStack) {
  for (;;) {
    const site = await startSite(({ url }, response) => answer(url ?? '', response), { host: PUBLIC })
    const secret = startSite((_request, response) => response.end('secret'), { host: INSIDE, port: site.port })
    const inside = await secret.catch(() => undefined)
    if (inside) return { site: parts.use(site), inside: parts.use(inside) }
    await site[Symbol.asyncDispose]()
  }
}

const closing = (response: ServerResponse) => response.setHeader('connection', 'close')

test('the address that was checked is the one connected to; the next connection is checked anew', async () => {
  await using rebinding = await world([[PUBLIC], [INSIDE]], (_path, response) => closing(response).end('public'))
  expect(await rebinding.ask()).toBe('public')
  expect(rebinding.names.asked).toBe(1)
  await expect(rebinding.ask()).rejects.toMatchObject({ code: 'refused_host' })
  expect(rebinding.names.asked).toBe(2)
  expect(rebinding.inside.requests).toEqual([])
})

test('a connection that is kept leads where it led, and a new one is checked', async () => {
  await using rebinding = await world([[PUBLIC], [INSIDE]], (_path, response) => response.end('public'))
  for (let count = 0; count < 10; count++) {
    // Whether it is kept is up to the pool; where it leads is not.
    const said = await rebinding.ask().catch((error: { code: string }) => error.code)
    expect(['public', 'refused_host']).toContain(said)
  }
  expect(rebinding.inside.requests).toEqual([])
})

test('every redirect is checked anew', async () => {
  await using rebinding = await world([[PUBLIC], [PUBLIC], [INSIDE]], (path, response) =>
    closing(response)
      .writeHead(302, { location: path === '/' ? '/two' : '/three' })
      .end(),
  )
  await expect(rebinding.ask()).rejects.toMatchObject({ code: 'refused_host' })
  expect(rebinding.site.requests.map(({ path }) => path)).toEqual(['/', '/two'])
  expect(rebinding.inside.requests).toEqual([])
})

test.each([
  ['before the good one', [INSIDE, PUBLIC]],
  ['after the good one', [PUBLIC, INSIDE]],
  ['of the other family', ['::1', PUBLIC]],
])('one bad address %s refuses them all, whichever would be tried first', async (_where, list) => {
  await using rebinding = await world([list], (_path, response) => closing(response).end('public'))
  await expect(rebinding.ask()).rejects.toMatchObject({ code: 'refused_host' })
  expect([...rebinding.site.requests, ...rebinding.inside.requests]).toEqual([])
})
