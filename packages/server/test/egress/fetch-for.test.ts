import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { createEgress } from '../../src/egress/egress.ts'
import { findEgressError } from '../../src/egress/egress-error.ts'
import { resolver, startSite } from './site.ts'

let open: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of open.reverse()) await resource[Symbol.asyncDispose]()
  open = []
})

const resolve = resolver({ 'tools.corp': ['127.0.0.1'], 'other.corp': ['127.0.0.1'] })

test('a configured endpoint on a private address can be asked', async () => {
  const site = await siteOf(() => '/')
  const fetch = egressOf().fetchFor(site.at('tools.corp', '/mcp'))
  const response = await fetch(site.at('tools.corp', '/mcp'), { method: 'POST', body: 'hi' })
  expect(await response.text()).toBe('POST /mcp')
})

test('a configured endpoint given as an address can be asked', async () => {
  const site = await siteOf(() => '/')
  const fetch = egressOf().fetchFor(site.at('127.0.0.1'))
  expect(await (await fetch(site.at('127.0.0.1', '/v1'))).text()).toBe('GET /v1')
})

test.each([
  ['another private name', (port: number) => `http://other.corp:${port}/secret`],
  ['its own address, spelled otherwise', (port: number) => `http://127.0.0.1:${port}/secret`],
  ['another port of its host', (port: number) => `http://tools.corp:${port === 65_535 ? 1024 : port + 1}/secret`],
  ['the metadata address', () => 'http://169.254.169.254/latest'],
])('a configured endpoint cannot redirect to %s', async (_what, target) => {
  const site = await siteOf((port) => target(port))
  const fetch = egressOf().fetchFor(site.at('tools.corp'))
  const error: unknown = await fetch(site.at('tools.corp', '/redirect')).catch((caught: unknown) => caught)
  expect(findEgressError(error)).toMatchObject({ code: 'refused_host' })
  expect(site.requests.map(({ path }) => path)).toEqual(['/redirect'])
})

test('a denied endpoint is refused before anything is asked', async () => {
  const egress = egressOf({ deny: ['tools.corp'] })
  expect(() => egress.fetchFor('http://tools.corp/mcp')).toThrow('tools.corp is denied by the configuration')
})

test('a denied range is refused where the name leads into it', async () => {
  const site = await siteOf(() => '/')
  const fetch = egressOf({ deny: ['127.0.0.0/8'] }).fetchFor(site.at('tools.corp'))
  const error: unknown = await fetch(site.at('tools.corp')).catch((caught: unknown) => caught)
  expect(findEgressError(error)).toMatchObject({ code: 'refused_host' })
})

test('node:http connects where the checked lookup says, and nowhere when it refuses', async () => {
  const site = await siteOf(() => '/')
  const egress = egressOf()
  const ask = async (trust: 'chosen' | 'configured') => {
    const request = httpRequest(site.at('tools.corp', '/v1'), { lookup: egress.lookup(trust), agent: false }).end()
    const [response] = await once(request, 'response')
    return (response as { statusCode: number }).statusCode
  }
  expect(await ask('configured')).toBe(200)
  await expect(ask('chosen')).rejects.toMatchObject({ code: 'refused_host' })
})

async function siteOf(target: (port: number) => string) {
  const site = await startSite((request, response) => {
    if (request.url === '/redirect') response.writeHead(302, { location: target(site.port) }).end()
    else response.end(`${request.method} ${request.url}`)
  })
  open.push(site)
  return site
}

function egressOf(options: Parameters<typeof createEgress>[0] = {}) {
  const egress = createEgress({ resolve, ...options })
  open.push(egress)
  return egress
}
