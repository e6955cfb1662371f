import type { CreatedApiKey } from '@parley/protocol/rest'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mayDo, type Need } from '../../src/auth/principal.ts'
import { OWNER_KEY, type RestOptions, STORES, World } from '../wire/world.ts'
import { join } from './people.ts'
import { COMMANDS, FORM, RULES } from './route-rules.ts'
import { ALL_SCOPES } from './visitors.ts'

type Role = 'owner' | 'member' | 'visitor'

/** Somebody, and one of everything that can be theirs. */
type Person = {
  role: Role
  token: string
  user_id: string
  /** Stands in all that they have. */
  mark: string
  session_id: string
  confirmation: string
  memory: string | number
  key_id: string
  token_id: string | number
  document: string | number
  task: string | number
}

/** A key has no login to end or prolong. */
const OF_LOGINS = /auth\/(?:refresh|logout)/
const WHOLE_SESSION = 'DELETE /api/sessions/:session_id'
const BATCH = 'POST /api/memories/batch'
const NOTHING = 'none-of-theirs'
const rules = [{ tool: 'Bash', decision: 'ask' as const }]

describe.each(STORES)('on %s', (store) => {
  let world: World
  let people: Person[]

  beforeAll(async () => {
    world = await World.open(store, { policy: { rules, headless: 'deny', confirmationMinutes: 15 } })
    world.learn({ 'may I': [{ calls: [{ name: 'Bash', arguments: { command: 'rm it' } }] }, { text: 'Done' }] })
    world.otherwise(() => ({ text: 'Hello' }))
    const [mia, max, host] = [await join(world, 'mia'), await join(world, 'max'), await join(world, 'host')]
    const visitorOf = async (token: string, subject: string) => {
      const body = { subject, scopes: ALL_SCOPES }
      return (await world.rest<{ token: string }>('POST', '/api/auth/tokens', { token, body })).body.token
    }
    people = [
      await person('owner', OWNER_KEY, 'marks-olga'),
      await person('member', mia.key, 'marks-mia'),
      await person('member', max.key, 'marks-max'),
      await person('visitor', await visitorOf(host.key, 'victor'), 'marks-victor'),
    ]
  })
  afterAll(async () => world?.[Symbol.asyncDispose]())

  async function person(role: Role, token: string, mark: string): Promise<Person> {
    const post = async (path: string, body: object) => {
      const { status, body: made } = await world.rest('POST', path, { token, body })
      expect([path, status, made]).toEqual([path, expect.toSatisfy((code: number) => code < 300), made])
      return made as { id: string | number; key?: CreatedApiKey['key']; items?: { id: string }[] }
    }
    const session_id = await world.newSession({ intent: `plan ${mark}` }, token)
    const file = { token, body: { content: `file ${mark}` } }
    expect((await world.rest('PUT', `/api/sessions/${session_id}/files/a.txt`, file)).status).toBe(200)
    const { id: memory } = await post('/api/memories', { content: `likes ${mark}` })
    await using client = await world.connect({ token })
    await client.ask('chat:send', { session_id, message: 'may I' })
    await client.until('chat:end')
    const waiting = await world.rest<{ items: { id: string }[] }>('GET', '/api/confirmations', { token })
    const isPerson = role !== 'visitor'
    const { id: user_id } = (await world.rest<{ id: string }>('GET', '/api/auth/me', { token })).body
    return {
      ...{ role, token, user_id, mark, session_id, memory },
      confirmation: waiting.body.items[0]!.id,
      key_id: isPerson ? (await post('/api/user/api-keys', { name: mark })).key!.id : NOTHING,
      token_id: isPerson ? (await post('/api/auth/tokens', { subject: `guest ${mark}` })).id : NOTHING,
      document: isPerson
        ? (await post('/api/knowledge', { title: mark, content: `known ${mark}`, category: mark })).id
        : NOTHING,
      task: isPerson
        ? (await post('/api/scheduled-tasks', { title: mark, prompt: mark, cron: '0 9 1 1 *' })).id
        : NOTHING,
    }
  }

  function ask(route: string, token: string, about: Person) {
    const [method, pattern] = route.split(' ') as [string, string]
    const { query = '' } = RULES[route]!
    const body = route === BATCH ? { action: 'delete', ids: [Number(about.memory)] } : RULES[route]!.body
    const path = pattern
      .replace(/:session_?[iI]d/, about.session_id)
      .replace('confirmations/:id', `confirmations/${about.confirmation}`)
      .replace('memories/:id', `memories/${about.memory}`)
      .replace(':key_id', about.key_id)
      .replace('tokens/:id', `tokens/${about.token_id}`)
      .replace('knowledge/:id', `knowledge/${about.document}`)
      .replace(':user_id', about.user_id)
      .replace('scheduled-tasks/:task_id', `scheduled-tasks/${about.task}`)
      .replace('/*', '/a.txt')
      .replace('/:use', '/abc:use')
      .replaceAll(/\/:[a-z_]+/g, '/some-id')
      .replace('::', ':')
    if (body !== FORM) return world.rest(method, path + query, { token, ...(body !== undefined && { body }) })
    const form = '--x\r\ncontent-disposition: form-data; name="files"; filename="b.txt"\r\n\r\nhi\r\n--x--\r\n'
    const headers: RestOptions['headers'] = { 'content-type': 'multipart/form-data; boundary=x' }
    return world.rest(method, path, { token, body: form, headers })
  }

  /** What somebody gets who asks for what is another's; `undefined`: an answer about themselves. */
  function refusalFor(asker: Role, route: string): number | undefined {
    const { for: whom, isOwned } = RULES[route]!
    if (!mayDo(RIGHTS[asker], whom as Need)) return 403
    return isOwned ? 404 : undefined
  }

  test('[W12.15.6] on every route, each role finds of another’s: nothing, in whatever order they ask', async () => {
    const routes = Object.keys(RULES).filter((route) => RULES[route]!.for !== 'everybody' && !OF_LOGINS.test(route))
    const cases = people.flatMap((asker) =>
      people
        .filter((holder) => holder !== asker)
        .flatMap((holder) => routes.map((route) => ({ asker, holder, route })))
        // What an owner does to the server is done to nobody's things.
        .filter(({ route }) => !(asker.role === 'owner' && RULES[route]!.for === 'owner')),
    )
    // All of them on one store; on the other, which costs more, some of them each time.
    const count = store === 'sqlite' ? cases.length : 300
    const [inSomeOrder] = fc.sample(fc.shuffledSubarray(cases, { minLength: count, maxLength: count }), 1)
    for (const { asker, holder, route } of inSomeOrder!) {
      const { status, body } = await ask(route, asker.token, holder)
      const told = `${asker.role} asks ${holder.role} ${route}: ${status} ${JSON.stringify(body)}`
      const refusal = refusalFor(asker.role, route)
      if (refusal === undefined) expect(told).not.toMatch(/: (?:401|403|5\d\d) /)
      else expect(told).toContain(`: ${refusal} `)
      expect(told).not.toContain(holder.mark)
      expect(told).not.toContain(holder.user_id)
    }
    for (const { token, mark, session_id, memory, document, task, role } of people) {
      const has = async (path: string) => JSON.stringify((await world.rest('GET', path, { token })).body)
      expect(await has(`/api/sessions/${session_id}`)).toMatch(`"plan ${mark}"`)
      expect(await has(`/api/sessions/${session_id}/files/a.txt`)).toBe(`"file ${mark}"`)
      expect(await has(`/api/memories/${memory}`)).toContain(`likes ${mark}`)
      if (role !== 'visitor') expect(await has(`/api/knowledge/${document}`)).toContain(`known ${mark}`)
      if (role !== 'visitor') expect(await has(`/api/scheduled-tasks/${task}`)).toContain(mark)
      const waiting = await world.rest<{ items: { session_id: string }[] }>('GET', '/api/confirmations', { token })
      expect(waiting.body.items.map((one) => one.session_id)).toContain(session_id)
    }
  }, 300_000)

  test('[W12.15.6] with every event of the socket, each role finds of another’s: nothing', async () => {
    for (const asker of people) {
      await using client = await world.connect({ token: asker.token })
      for (const holder of people.filter((one) => one !== asker))
        for (const [name, more] of Object.entries(COMMANDS)) {
          const ack = await client.ask(name, { session_id: holder.session_id, ...more })
          if (name !== 'session:unsubscribe') expect([name, ack]).toMatchObject([name, { code: 'session_not_found' }])
          expect(await client.ask('auth:renew', { token: holder.token })).toMatchObject({ code: 'forbidden' })
        }
      expect(client.names().filter((name) => !['system:error', 'auth:expires'].includes(name))).toEqual([])
    }
  })

  test('[W12.15.6] another’s session is not talked on, by whatever protocol names it', async () => {
    const turns = async ({ token, session_id }: Person) =>
      (await world.rest<unknown[]>('GET', `/api/sessions/${session_id}/messages`, { token })).body.length
    for (const holder of people) {
      const before = await turns(holder)
      const { session_id } = holder
      for (const { token } of people.filter((one) => one !== holder)) {
        const tries = [
          ['/chat/stream', { user_input: 'hello', session_id }],
          ['/api/agent/chat/stream', { message: 'hello', sessionId: session_id }],
          ['/api/agent/chat', { message: 'hello', sessionId: session_id }],
          ['/api/agent/chat/cancel', { sessionId: session_id }],
        ] as const
        for (const [path, body] of tries) {
          const { body: answer } = await world.rest('POST', path, { token, body })
          expect(JSON.stringify(answer)).not.toMatch(new RegExp(`${holder.mark}|${holder.user_id}`))
        }
      }
      expect(await turns(holder)).toBe(before)
    }
  })

  test('[W12.15.6] what is one’s own, each role has, and nothing of the server’s but owners', async () => {
    const rank = (route: string) => (route === WHOLE_SESSION ? 2 : Number(RULES[route]!.isLast ?? 0))
    const inOrder = Object.entries(RULES).sort(([a], [b]) => rank(a) - rank(b))
    for (const self of store === 'sqlite' ? people : people.slice(2))
      for (const [route, { for: whom }] of inOrder) {
        if (whom === 'everybody' || (self.role === 'owner' && whom === 'owner')) continue
        const { status, body } = await ask(route, self.token, self)
        const told = `${self.role} asks ${route}: ${status} ${JSON.stringify(body)}`
        if (!mayDo(RIGHTS[self.role], whom)) expect(told).toContain(': 403 ')
        else if (!OF_LOGINS.test(route)) expect(told).not.toMatch(/: (?:401|403) |session_not_found/)
      }
  })
})

const RIGHTS = {
  owner: { role: 'owner' },
  member: { role: 'member' },
  visitor: { scopes: ALL_SCOPES },
} as const

test('[W12.15.6] more rights never do less: visitor, member, owner', () => {
  const needs = fc.constantFrom<Need>('chat', 'files', 'decide', 'account', 'owner')
  fc.assert(
    fc.property(fc.subarray(ALL_SCOPES), needs, (scopes, need) => {
      const ranks = [{ role: 'owner' as const, scopes }, { scopes }, {}, RIGHTS.member, RIGHTS.owner]
      const may = ranks.map((rights) => Number(mayDo(rights, need)))
      expect(may).toEqual([...may].sort((a, b) => a - b))
      expect(mayDo(RIGHTS.owner, need)).toBe(true)
    }),
  )
})
