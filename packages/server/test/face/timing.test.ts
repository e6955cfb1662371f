import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openAuth } from '../../src/auth/auth.ts'
import { signToken } from '../../src/auth/signed-token.ts'
import type { Engine } from '../../src/store/engine.ts'
import { sqlitePlace } from '../store/place.ts'
import { SECRET } from './face.ts'

// What a stopwatch could tell is told by the work that is done. It must not depend on how much of a secret was right: keys
// are found by the public part of their text and then compared as hashes, links by their hash, logins by their signature.

const OWNER_KEY = 'a key from the configuration, long enough'

async function world() {
  const parts = new AsyncDisposableStack()
  const place = parts.use(await sqlitePlace())
  const engine = parts.use(await place.open())
  const auth = parts.use(
    await openAuth({
      engine,
      secret: SECRET,
      ownerKey: OWNER_KEY,
      now: Date.now,
      randomBytes,
      onError: () => undefined,
    }),
  )
  return { engine, auth, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

/** Every statement, and how many values and rows it had. */
function watch(engine: Engine): { work: () => unknown[] } {
  const seen: unknown[] = []
  const select = engine.select.bind(engine)
  engine.select = (async (sql: string, values: unknown[]) => {
    const rows = await select(sql, values as never)
    seen.push([sql, values.length, rows.length])
    return rows
  }) as Engine['select']
  return { work: () => seen.splice(0) }
}

/** The same text, right up to `right` characters and wrong from there on. */
function wrongFrom(text: string, right: number): string {
  return text.slice(0, right) + [...text.slice(right)].map((letter) => (letter === 'A' ? 'B' : 'A')).join('')
}

test('a wrong key costs the same however much of its secret is right', async () => {
  await using place = await world()
  const { plaintext } = await place.auth.keys.create(place.auth.owner_id, 'k')
  const secretAt = plaintext.lastIndexOf('_', plaintext.length - 40) + 1
  const { work } = watch(place.engine)
  const costs = new Set<string>()
  for (let right = secretAt; right < plaintext.length; right++) {
    expect(await place.auth.authenticate(wrongFrom(plaintext, right))).toBeUndefined()
    costs.add(JSON.stringify(work()))
  }
  expect([...costs]).toHaveLength(1)
  expect(await place.auth.authenticate(plaintext)).toBeDefined()
})

test('a wrong owner key finds no row, however much of it is right', async () => {
  await using place = await world()
  const { work } = watch(place.engine)
  const costs = new Set<string>()
  for (let right = 0; right < OWNER_KEY.length; right++) {
    expect(await place.auth.authenticate(wrongFrom(OWNER_KEY, right))).toBeUndefined()
    costs.add(JSON.stringify(work()))
  }
  expect([...costs]).toHaveLength(1)
})

test('a login with a wrong signature never reaches the database, however much of it is right', async () => {
  await using place = await world()
  const token = (await place.auth.signIn(await place.auth.newSignInCode()))!
  const { work } = watch(place.engine)
  const dot = token.indexOf('.')
  const costs = new Set<string>()
  for (let right = dot + 1; right < token.length - 1; right++) {
    expect(await place.auth.authenticate(wrongFrom(token, right))).toBeUndefined()
    costs.add(JSON.stringify(work()))
  }
  expect([...costs]).toHaveLength(1)
  const forged = signToken(Buffer.alloc(32), { login: 'x', expires_at: Date.now() + 1e9 })
  expect(await place.auth.authenticate(forged)).toBeUndefined()
})
