import { createServer } from 'node:net'
import { once } from 'node:events'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { StoreError } from '../../src/store/errors.ts'
import { openPostgres } from '../../src/store/postgres/engine.ts'
import { journalOf, newSession, stored, structural, textOf } from './fixtures.ts'
import { administer, barePostgresPlace, postgresPlace, proxied, sqlitePlace } from './place.ts'

const GARBAGE = Buffer.from('this is not a database, and was never meant to be one. '.repeat(100))

describe('a data directory that cannot be used', () => {
  test.each(['parley.sqlite', 'server.lock'])('garbage in %s is reported and left as it is', async (file) => {
    await using place = await sqlitePlace()
    await writeFile(`${place.at}/${file}`, GARBAGE)
    const error = await failure(place.open())
    expect(error).toMatchObject({ code: 'corrupt' })
    expect(error.message).toContain(`${place.at}/${file}`)
    expect(await readFile(`${place.at}/${file}`)).toEqual(GARBAGE)
  })

  test('a database damaged in the middle is reported, not repaired, and later ones can still be opened', async () => {
    await using place = await sqlitePlace()
    const file = `${place.at}/parley.sqlite`
    await (await place.open())[Symbol.asyncDispose]()
    const whole = await readFile(file)
    const damaged = Buffer.from(whole)
    damaged.fill(0xee, 100, 4_096)
    await writeFile(file, damaged)
    expect(await failure(place.open())).toMatchObject({ code: 'corrupt' })
    expect(await readFile(file)).toEqual(damaged)
    await writeFile(file, whole)
    await using engine = await place.open()
    await newSession(engine)
  })

  test('a path that is a file, or leads through one, is reported', async () => {
    await using place = await sqlitePlace()
    await writeFile(`${place.at}/file`, 'precious')
    for (const at of [`${place.at}/file`, `${place.at}/file/below`]) {
      const error = await failure(place.open({ at }))
      expect(error).toMatchObject({ code: 'unavailable' })
      expect(error.message).toContain(at)
    }
    expect(await readFile(`${place.at}/file`, 'utf8')).toBe('precious')
  })

  test.each(['parley.sqlite', 'server.lock', 'server.json'])(
    'a directory in the place of %s is reported, and the lock is not kept',
    async (name) => {
      await using place = await sqlitePlace()
      await mkdir(`${place.at}/${name}`)
      const error = await failure(place.open())
      expect(error).toMatchObject({ code: 'unavailable' })
      expect(error.message).toContain(place.at)
      await rm(`${place.at}/${name}`, { recursive: true })
      await using engine = await place.open()
      await newSession(engine)
    },
  )
})

test('a full disk fails the write that does not fit and nothing else; with space again, writing goes on', async () => {
  await using place = await sqlitePlace()
  await (await place.open())[Symbol.asyncDispose]()
  const session = 'sess_1'
  const pages = (await stat(`${place.at}/parley.sqlite`)).size / 4_096
  let count = 0
  {
    await using engine = await place.open({ maxPages: pages + 20 })
    await newSession(engine, session)
    const error = await failure(
      (async () => {
        for (; ; count++) await journalOf(engine).append(session, null, [structural(`${count} ${'x'.repeat(5_000)}`)])
      })(),
    )
    expect(error).toMatchObject({ code: 'full' })
    expect(error.message).toContain(place.at)
    expect(count).toBeGreaterThan(3)
    // The failed one left nothing behind, its number included, and reading goes on.
    expect((await stored(engine, session)).map(({ event_seq }) => event_seq)).toEqual(
      Array.from({ length: count }, (_, index) => index + 1),
    )
    expect(await failure(journalOf(engine).append(session, null, [structural('x'.repeat(5_000))]))).toMatchObject({
      code: 'full',
    })
  }
  await using engine = await place.open()
  expect(await journalOf(engine).append(session, null, [structural('fits again')])).toMatchObject({ head: count + 1 })
  const events = await stored(engine, session)
  expect(events).toHaveLength(count + 1)
  expect(textOf(events.at(-1)!)).toBe('fits again')
})

describe('a PostgreSQL that cannot be used', () => {
  const SECRET = 'hunter2-very-secret'

  test('a port where nobody listens', async () => {
    const error = await refusal(`postgres://user:${SECRET}@127.0.0.1:${await closedPort()}/parley`)
    expect(error.message).toMatch(/Cannot reach PostgreSQL at 127\.0\.0\.1:\d+\/parley/)
  })

  test('a host that does not exist', async () => {
    const error = await refusal(`postgres://user:${SECRET}@no-such-host.invalid/parley`)
    expect(error.message).toContain('no-such-host.invalid:5432/parley')
  })

  test('a database that does not exist', async () => {
    await using place = await postgresPlace()
    const url = new URL(place.at)
    url.password = SECRET
    url.pathname = 'no_such_database'
    expect((await refusal(url.href)).message).toMatch(/has no such database/)
  })

  test('a wrong password, and a user that does not exist', async () => {
    await using place = await postgresPlace()
    await administer(place.at, `CREATE ROLE needs_password LOGIN PASSWORD 'right'`)
    try {
      const url = new URL(place.at)
      url.username = 'needs_password'
      url.password = SECRET
      expect((await refusal(url.href)).message).toMatch(/refused the user name or password/)
      url.username = 'nobody_knows'
      expect((await refusal(url.href)).message).toMatch(/refused the user name or password/)
    } finally {
      await administer(place.at, 'DROP ROLE needs_password')
    }
  })

  test('a user that may not create tables', async () => {
    await using place = await barePostgresPlace()
    await administer(place.at, 'CREATE ROLE guest LOGIN')
    try {
      const url = new URL(place.at)
      url.username = 'guest'
      url.password = SECRET
      expect((await refusal(url.href)).message).toMatch(/does not let this user do that/)
    } finally {
      await administer(place.at, 'DROP OWNED BY guest; DROP ROLE guest')
    }
  })

  test.each([
    `parley:${SECRET}`,
    `postgres://user:${SECRET}@host:port/parley`,
    `postgres://user:${SECRET}@[/x`,
    SECRET,
    '',
  ])('a value that is not a URL (%#)', async (url) => {
    expect((await refusal(url)).message).toContain('PARLEY_DATABASE_URL')
  })

  test('a server that hangs up in the middle of things', async () => {
    await using place = await barePostgresPlace()
    await using way = await proxied(place)
    way.proxy.dropRequest('kysely_migration', Infinity)
    expect((await refusal(way.at)).message).toMatch(/Cannot reach PostgreSQL/)
  })

  test('a database that goes away while we work: reads and writes say so, and work again when it is back', async () => {
    await using place = await postgresPlace()
    await using way = await proxied(place)
    await using engine = await place.open({ at: way.at })
    const session = await newSession(engine)
    way.proxy.refuse(true)
    way.proxy.cut()
    const [read, write] = await Promise.all([failure(stored(engine, session)), failure(newSession(engine))])
    expect([read.code, write.code]).toEqual(['unavailable', 'unavailable'])
    expect(await engine.trouble()).toBe('storage_unavailable')
    way.proxy.refuse(false)
    await journalOf(engine).append(session, null, [structural('back')])
    expect(await engine.trouble()).toBe(null)
    expect((await stored(engine, session)).map(textOf)).toEqual(['back'])
  })

  async function refusal(url: string): Promise<StoreError> {
    const error = await failure(openPostgres({ url, leaseMs: 3_000 }))
    expect(error).toMatchObject({ code: 'unavailable' })
    if (url.includes(SECRET))
      expect(inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error)).not.toContain(SECRET)
    return error
  }
})

/** The error, which must be one of ours: with a code, and words for the operator. */
async function failure(promise: Promise<unknown>): Promise<StoreError> {
  const error = await promise.then(
    () => 'no failure at all',
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ name: 'StoreError' })
  return error as StoreError
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
