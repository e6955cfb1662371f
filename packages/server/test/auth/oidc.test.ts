import type { Identity, Invitation, UserPage } from '@parley/protocol/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oidcSchema } from '../../src/auth/oidc/oidc-options.ts'
import { STORES, World } from '../wire/world.ts'
import { startSite } from '../egress/site.ts'
import { join, openLink } from './people.ts'
import { Browser, CLIENT, type Tamper, type TestProvider } from './provider.ts'
import { CALLBACK, openBoth } from './with-provider.ts'

describe.each(STORES)('on %s', (store) => {
  let provider: TestProvider
  let world: World

  beforeAll(async () => {
    ;({ provider, world } = await openBoth(store))
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await provider?.[Symbol.asyncDispose]()
  })
  function account(subject: string, claims: Record<string, unknown>): string {
    provider.accounts[subject] = claims
    provider.who = subject
    return subject
  }
  const begin = (browser: Browser, until?: (url: URL) => boolean) =>
    browser.open(`${world.url}/api/auth/oidc/login?next=/api/auth/me`, until)
  const atCallback = (url: URL) => url.pathname === CALLBACK
  const me = (text: string) => JSON.parse(text) as Identity
  const users = async (username: string) =>
    (await world.rest<UserPage>('GET', `/api/users?username=${encodeURIComponent(username)}`)).body.items

  test('[W12.16.1] [W12.16.3] whoever the configuration lets in is a member from their first sign-in on', async () => {
    account('anna-1', { email: 'Anna@House.Example', email_verified: true, name: 'Anna' })
    const browser = new Browser()
    const first = await begin(browser)
    expect([first.status, first.url.pathname]).toEqual([200, '/api/auth/me'])
    expect(me(first.text)).toMatchObject({ username: 'anna@house.example', display_name: 'Anna', role: 'member' })
    expect(browser.cookie(world.url)).toMatch(/^parley_login=[^;]+$/)
    expect(me((await begin(new Browser())).text).id).toBe(me(first.text).id)
    expect(await users('anna@house.example')).toMatchObject([{ role: 'member', status: 'active' }])
    const headers = { cookie: browser.cookie(world.url), origin: world.url }
    const out = await world.rest<{ logout_url: string }>('POST', '/api/auth/logout', { token: null, headers })
    expect(out.body).toMatchObject({ ok: true, logout_url: expect.stringContaining(`${provider.issuer}/session/end?`) })
    expect((await world.rest('GET', '/api/auth/me', { token: null, headers })).status).toBe(401)
  })

  test('[W12.16.3] a claim with one of its values lets in too; all else is refused and makes nobody', async () => {
    account('board-1', { groups: ['board', 'chess'], preferred_username: 'bea' })
    expect(me((await begin(new Browser())).text)).toMatchObject({ username: 'bea', role: 'member' })
    const { total } = (await world.rest<UserPage>('GET', '/api/users')).body
    for (const claims of [
      { email: 'eve@house.example', email_verified: false },
      { email: 'eve@house.example', email_verified: 'true' },
      { email: 'eve@house.example' },
      { email: 'eve@evil-house.example', email_verified: true },
      { email: 'eve@house.example.evil', email_verified: true },
      { email: 'eve@sub.house.example', email_verified: true },
      { email: ['eve@house.example'], email_verified: true },
      { groups: { staff: true } },
      { groups: 'staffers' },
    ]) {
      account(`eve-${JSON.stringify(claims).length}`, claims)
      const refused = await begin(new Browser())
      expect([claims, refused.status]).toEqual([claims, 403])
      expect(refused.text).toContain('Ask one of its owners for an invitation.')
    }
    expect((await world.rest<UserPage>('GET', '/api/users')).body.total).toBe(total)
  })

  test('[W12.16.3] who loses what let them in does not come in again', async () => {
    account('leaver', { groups: 'staff' })
    expect((await begin(new Browser())).status).toBe(200)
    account('leaver', { groups: 'guests' })
    expect((await begin(new Browser())).status).toBe(403)
  })

  test('[W12.16.2] who was invited by an address comes in as that user, once they are vouched for', async () => {
    const body = { username: 'carl@elsewhere.example', role: 'owner' }
    const { user } = (await world.rest<Invitation>('POST', '/api/users', { body })).body
    account('thief', { email: 'carl@elsewhere.example', email_verified: false })
    expect((await begin(new Browser())).status).toBe(403)
    account('carl-1', { email: 'Carl@Elsewhere.example', email_verified: true })
    expect(me((await begin(new Browser())).text)).toMatchObject({ id: user.id, role: 'owner' })
    // From now on it is the subject that counts: the same address of somebody else is somebody else.
    account('carl-2', { email: 'carl@elsewhere.example', email_verified: true })
    expect((await begin(new Browser())).status).toBe(403)
    account('carl-1', { email: 'new@elsewhere.example', email_verified: true })
    expect(me((await begin(new Browser())).text).id).toBe(user.id)
  })

  test('[W12.16.2] who came in by a link is nobody else’s to become, whatever an address says', async () => {
    const dora = await join(world, 'dora@house.example')
    account('dora-2', { email: 'dora@house.example', email_verified: true })
    const other = me((await begin(new Browser())).text)
    expect(other.id).not.toBe(dora.id)
    expect(other.username).toMatch(/^dora@house\.example#[0-9a-f]{8}$/)
  })

  test('[W12.16.4] an answer that this browser did not ask for is refused: no cookie, another’s, a changed state', async () => {
    account('frank', { email: 'frank@house.example', email_verified: true })
    const [victim, attacker] = [new Browser(), new Browser()]
    const stolen = await begin(attacker, atCallback)
    expect((await new Browser().open(stolen.url.href)).status).toBe(401)
    await begin(victim, atCallback)
    expect((await victim.open(stolen.url.href)).status).toBe(401)
    expect(victim.cookie(world.url)).not.toContain('parley_login')
    const own = await begin(victim, atCallback)
    own.url.searchParams.set('state', `${own.url.searchParams.get('state')}x`)
    expect((await victim.open(own.url.href)).status).toBe(401)
    // And it is over: the right state comes too late.
    own.url.searchParams.set('state', own.url.searchParams.get('state')!.slice(0, -1))
    expect((await victim.open(own.url.href)).status).toBe(401)
    expect(await users('frank@house.example')).toEqual([])
  })

  test('[W12.16.4] a code is good once, also for the browser that brought it', async () => {
    account('gina', { email: 'gina@house.example', email_verified: true })
    const browser = new Browser()
    const { url } = await begin(browser, atCallback)
    const before = new Map(browser.cookies.get(world.url))
    expect((await browser.open(url.href)).status).toBe(200)
    browser.cookies.set(world.url, before)
    expect((await browser.open(url.href)).status).toBe(401)
    expect(browser.cookie(world.url)).not.toContain('parley_login')
  })

  test('[W12.16.4] an answer of another issuer, or without one, is refused, and so is what the provider refuses', async () => {
    account('hugo', { email: 'hugo@house.example', email_verified: true })
    for (const change of [
      (query: URLSearchParams) => query.set('iss', 'https://evil.example'),
      (query: URLSearchParams) => query.delete('iss'),
      (query: URLSearchParams) => query.delete('code'),
      (query: URLSearchParams) => query.set('code', 'x'.repeat(43)),
      (query: URLSearchParams) => query.set('error', 'access_denied'),
    ]) {
      const browser = new Browser()
      const { url } = await begin(browser, atCallback)
      change(url.searchParams)
      const refused = await browser.open(url.href)
      expect([url.search, refused.status]).toEqual([url.search, 401])
      expect(refused.text).toContain('Begin it again.')
    }
    expect(await users('hugo@house.example')).toEqual([])
  })

  test('[W12.16] the start page leads there, and a link still signs in', async () => {
    const home = await (await fetch(world.url, { headers: { 'accept-language': 'en' } })).text()
    expect(home).toContain('<meta name="parley-openid" content="The &lt;House')
    await openLink(world.signInUrl)
    // Neither an image nor a script of some page begins it.
    const headers = { 'sec-fetch-dest': 'image', 'sec-fetch-site': 'cross-site' }
    expect((await fetch(`${world.url}/api/auth/oidc/login`, { headers, redirect: 'manual' })).status).toBe(403)
    account('jo', { email: 'jo@house.example', email_verified: true })
    const away = await new Browser().open(`${world.url}/api/auth/oidc/login?next=//evil.example/`)
    expect(away.url.origin).toBe(world.url)
  })
})

const now = () => Math.floor(Date.now() / 1000)
const WRONG: [what: string, reason: string, tamper: Tamper][] = [
  ['another nonce', 'nonce', (claims, sign) => sign({ ...claims, nonce: 'of another sign-in' })],
  ['no nonce', 'nonce', ({ nonce: _nonce, ...claims }, sign) => sign(claims)],
  ['another issuer', 'iss', (claims, sign) => sign({ ...claims, iss: 'https://evil.example' })],
  ['another audience', 'aud', (claims, sign) => sign({ ...claims, aud: 'another client' })],
  ['several audiences', 'azp', (claims, sign) => sign({ ...claims, aud: [CLIENT.id, 'another client'] })],
  ['another party', 'azp', (claims, sign) => sign({ ...claims, azp: 'another client' })],
  ['its time over', 'exp', (claims, sign) => sign({ ...claims, iat: now() - 7_200, exp: now() - 3_600 })],
  ['its time to come', 'nbf', (claims, sign) => sign({ ...claims, nbf: now() + 3_600 })],
  ['no end', 'exp', ({ exp: _exp, ...claims }, sign) => sign(claims)],
  ['no subject', 'sub', ({ sub: _sub, ...claims }, sign) => sign(claims)],
  ['another subject than its userinfo', 'userinfo', (claims, sign) => sign({ ...claims, sub: 'owner' })],
  ['an algorithm of no key', 'ALG', async (claims, sign) => forged(await sign(claims), { alg: 'none', kid: 'one' })],
  ['a secret for a key', 'ALG', async (claims, sign) => forged(await sign(claims), { alg: 'HS256', kid: 'one' })],
  ['a changed claim', 'SIGNATURE', async (claims, sign) => changed(await sign(claims))],
  ['no form', 'form', async () => 'not.a.token!'],
]

describe('an ID token', () => {
  let provider: TestProvider
  let world: World
  beforeAll(async () => {
    ;({ provider, world } = await openBoth('sqlite'))
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await provider?.[Symbol.asyncDispose]()
  })

  async function signIn(tamper: Tamper | undefined): Promise<number> {
    provider.accounts['ida'] = { email: 'ida@house.example', email_verified: true }
    Object.assign(provider, { who: 'ida', tamper })
    return (await new Browser().open(`${world.url}/api/auth/oidc/login?next=/api/auth/me`)).status
  }

  test.each(WRONG)('[W12.16.5] with %s is refused', async (_, reason, tamper) => {
    const told = world.warnings.length
    expect(await signIn(tamper)).toBe(401)
    // The same reason is not told twice.
    expect([...world.warnings.slice(told), ...world.warnings].join()).toContain(reason)
    expect((await world.rest<UserPage>('GET', '/api/users?username=ida@house.example')).body.items).toEqual([])
    expect(world.errors).toEqual([])
  })

  test('[W12.16.5] signed with a key that the provider has not published is refused, for now; a good one is taken', async () => {
    expect(await signIn((claims, sign) => sign(claims, { kid: 'two' }))).toBeGreaterThanOrEqual(401)
    expect(await signIn(undefined)).toBe(200)
  })
})

function forged(token: string, header: object): string {
  const [, payload = '', signature = ''] = token.split('.')
  return [Buffer.from(JSON.stringify(header)).toString('base64url'), payload, signature].join('.')
}

function changed(token: string): string {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
  return [header, Buffer.from(JSON.stringify({ ...claims, sub: 'owner' })).toString('base64url'), signature].join('.')
}

test('[W12.16.6] a provider that is not there, or says it is another, signs nobody in', async () => {
  let said: () => object = () => ({})
  await using site = await startSite((_request, response) => response.end(JSON.stringify(said())))
  await using other = await startSite((_request, response) => response.end('{}'))
  const issuer = new URL(site.at('127.0.0.1')).origin
  await using world = await World.open('sqlite', { oidc: { issuer, clientId: 'parley' } })
  const begin = () => fetch(`${world.url}/api/auth/oidc/login`, { redirect: 'manual' })
  const whole = { authorization_endpoint: `${issuer}/a`, token_endpoint: `${issuer}/t`, jwks_uri: `${issuer}/k` }
  for (const answer of [
    {},
    { ...whole, issuer: 'https://evil.example' },
    { ...whole, issuer, token_endpoint: 'file:///etc' },
  ]) {
    said = () => answer
    expect((await begin()).status).toBe(503)
  }
  // Hosts that it names itself are asked under the ordinary rules: nothing private.
  said = () => ({ ...whole, issuer, token_endpoint: other.at('127.0.0.1', '/t') })
  const begun = await begin()
  expect(begun.status).toBe(302)
  const to = new URL(begun.headers.get('location')!)
  expect(Object.fromEntries(to.searchParams)).toMatchObject({ code_challenge_method: 'S256', response_type: 'code' })
  const cookie = begun.headers.getSetCookie()[0]!.split(';')[0]!
  const back = `${world.url}${CALLBACK}?code=abc&state=${to.searchParams.get('state')}`
  expect((await fetch(back, { redirect: 'manual', headers: { cookie } })).status).toBe(503)
  expect(other.requests).toHaveLength(0)
})

test.each<[string, object, RegExp]>([
  ['http elsewhere', { issuer: 'http://id.example' }, /https address/],
  ['no client', { clientId: '' }, /client id/],
  ['no openid', { scopes: ['email'] }, /openid/],
  ['an address as a domain', { allow: { emailDomains: ['@house.example'] } }, /without an @/],
  ['a field nobody knows', { allowed: {} }, /allowed/],
])('[W12.16.1] configuration that cannot be meant is refused: %s', (_, wrong, message) => {
  const given = { issuer: 'https://id.example', clientId: 'parley', ...wrong }
  expect(() => oidcSchema.parse(given)).toThrow(message)
})
