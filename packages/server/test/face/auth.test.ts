import { randomBytes } from 'node:crypto'
import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openAuth } from '../../src/auth/auth.ts'
import { loadSecret } from '../../src/auth/secret.ts'
import type { Engine } from '../../src/store/engine.ts'
import { places, postgresPlace, sqlitePlace } from '../store/place.ts'
import { SECRET } from './face.ts'

type Clock = { now: number }

async function open(
  engine: Engine,
  { ownerKey, clock = { now: Date.now() } }: { ownerKey?: string; clock?: Clock } = {},
) {
  return openAuth({
    engine,
    secret: SECRET,
    ownerKey,
    now: () => clock.now,
    randomBytes,
    onError: (error) => {
      throw error
    },
  })
}

async function auditOf(engine: Engine): Promise<string[]> {
  const rows = await engine.select<{ action: string }>('SELECT action FROM audit ORDER BY id', [])
  return rows.map(({ action }) => action)
}

test.each(places)('%s: the first start creates the owner, later ones find them', async (_name, place) => {
  await using where = await place()
  await using engine = await where.open()
  const [first, second] = [await open(engine), await open(engine)]
  expect(second.owner_id).toBe(first.owner_id)
  expect(await first.identity(first.owner_id)).toMatchObject({
    id: expect.stringMatching(/^user_/),
    username: 'owner',
    avatar_url: null,
  })
})

test.each(places)('%s: a sign-in code works once, also when two bring it at the same time', async (_name, place) => {
  await using where = await place()
  await using engine = await where.open()
  const auth = await open(engine)
  const code = await auth.newSignInCode()
  const tokens = await Promise.all([auth.signIn(code), auth.signIn(code)])
  const [token, ...others] = tokens.filter((found) => found !== undefined)
  expect(others).toEqual([])
  expect(await auth.authenticate(token!)).toMatchObject({ user_id: auth.owner_id, credential: { kind: 'login' } })
  expect(await auth.signIn(code)).toBeUndefined()
  expect(await auditOf(engine)).toEqual(['auth.sign_in'])
})

test('a sign-in code is stored as a hash and expires after a day', async () => {
  await using where = await sqlitePlace()
  await using engine = await where.open()
  const clock = { now: Date.now() }
  const auth = await open(engine, { clock })
  const code = await auth.newSignInCode()
  expect(JSON.stringify(await engine.select('SELECT * FROM meta', []))).not.toContain(code)
  clock.now += 25 * 3_600_000
  expect(await auth.signIn(code)).toBeUndefined()
})

test('a login lasts thirty days from its last refresh, and not a moment longer than its logout', async () => {
  await using where = await sqlitePlace()
  await using engine = await where.open()
  const clock = { now: Date.now() }
  const auth = await open(engine, { clock })
  const first = (await auth.signIn(await auth.newSignInCode()))!
  clock.now += 20 * 86_400_000
  const second = await auth.refresh((await auth.authenticate(first))!)
  clock.now += 20 * 86_400_000
  expect(await auth.authenticate(first)).toBeUndefined()
  const caller = (await auth.authenticate(second))!
  await auth.signOut(caller)
  expect(await auth.authenticate(second)).toBeUndefined()
  expect(await auth.endedOf([caller.credential])).toEqual([caller.credential])
  expect(await auditOf(engine)).toEqual(['auth.sign_in', 'auth.sign_out'])
})

test('a login token that was changed in any place is worth nothing', async () => {
  await using where = await sqlitePlace()
  await using engine = await where.open()
  const auth = await open(engine)
  const token = (await auth.signIn(await auth.newSignInCode()))!
  for (let at = 0; at < token.length; at += 7) {
    const other = token[at] === 'A' ? 'B' : 'A'
    expect(await auth.authenticate(token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined()
  }
})

test.each(places)(
  '%s: [W11.5] a key is found by its id, stored as a hash only, and gone once revoked',
  async (_name, place) => {
    await using where = await place()
    await using engine = await where.open()
    await using auth = await open(engine)
    const { key, plaintext } = await auth.keys.create(auth.owner_id, 'ci')
    expect(plaintext).toMatch(/^sk-blade-v2-[0-9a-f]{24}_[\w-]{43}$/)
    expect(key).toMatchObject({ plaintext: null, masked: `sk-blade-v2-...${plaintext.slice(-4)}`, last_used_at: null })
    const rows = JSON.stringify(await engine.select('SELECT * FROM api_keys', []))
    expect(rows).not.toContain(plaintext.slice(-43))
    expect(await auth.authenticate(plaintext)).toEqual({
      user_id: auth.owner_id,
      role: 'owner',
      credential: { kind: 'key', id: key.id },
    })
    expect(await auth.authenticate(plaintext.slice(0, -1) + (plaintext.endsWith('A') ? 'B' : 'A'))).toBeUndefined()
    await auth.revokeKey(auth.owner_id, key.id)
    expect(await auth.authenticate(plaintext)).toBeUndefined()
    expect(await auth.keys.list(auth.owner_id)).toEqual([])
    expect(await auditOf(engine)).toEqual(['api_key.create', 'api_key.revoke'])
  },
)

test('[W11.5] keys of other users are not found', async () => {
  await using where = await sqlitePlace()
  await using engine = await where.open()
  const auth = await open(engine)
  const { key } = await auth.keys.create('user_other', 'theirs')
  await expect(auth.keys.get(auth.owner_id, key.id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(auth.keys.rename(auth.owner_id, key.id, 'mine')).rejects.toMatchObject({ code: 'not_found' })
  await expect(auth.revokeKey(auth.owner_id, key.id)).rejects.toMatchObject({ code: 'not_found' })
  expect(await auth.keys.list(auth.owner_id)).toEqual([])
})

test('[W11.5] last_used_at is written at most once a minute', async () => {
  await using where = await sqlitePlace()
  await using engine = await where.open()
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') }
  const auth = await open(engine, { clock })
  const { key, plaintext } = await auth.keys.create(auth.owner_id, 'ci')
  const usedAt = async () => {
    await auth[Symbol.asyncDispose]()
    return (await auth.keys.get(auth.owner_id, key.id)).last_used_at
  }
  await auth.authenticate(plaintext)
  expect(await usedAt()).toBe('2026-01-01T00:00:00.000Z')
  clock.now += 59_000
  await auth.authenticate(plaintext)
  expect(await usedAt()).toBe('2026-01-01T00:00:00.000Z')
  clock.now += 1_000
  await auth.authenticate(plaintext)
  expect(await usedAt()).toBe('2026-01-01T00:01:00.000Z')
})

test.each(places)(
  '%s: [WR-56] PARLEY_OWNER_KEY works from the first start on, whatever its form, and is one key',
  async (_name, place) => {
    await using where = await place()
    await using engine = await where.open()
    for (const ownerKey of ['sk-other-v9-secret', 'sk-other-v9-secret']) {
      const auth = await open(engine, { ownerKey })
      expect(await auth.authenticate(ownerKey)).toMatchObject({ user_id: auth.owner_id })
      expect(await auth.keys.list(auth.owner_id)).toHaveLength(1)
    }
    const rotated = await open(engine, { ownerKey: 'another one' })
    expect(await rotated.authenticate('sk-other-v9-secret')).toBeUndefined()
    expect(await rotated.authenticate('another one')).toBeDefined()
    const [key] = await rotated.keys.list(rotated.owner_id)
    await rotated.revokeKey(rotated.owner_id, key!.id)
    expect(await rotated.authenticate('another one')).toBeUndefined()
    const again = await open(engine, { ownerKey: 'another one' })
    expect(await again.authenticate('another one')).toBeDefined()
  },
)

test('on SQLite the generated secret is a file that only its owner can read, and stays the same', async () => {
  await using where = await sqlitePlace()
  await using engine = await where.open()
  const load = () => loadSecret({ engine, dataDir: where.at, configured: undefined, randomBytes })
  const [first, second] = [await load(), await load()]
  expect(second.key('login')).toEqual(first.key('login'))
  expect(first.key('login')).not.toEqual(first.key('other'))
  expect(first.warning).toBeNull()
  const file = join(where.at, 'secret')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(file, 'utf8')).toMatch(/^[0-9a-f]{64}$/)
  await chmod(file, 0o644)
  expect((await load()).warning).toContain('chmod 600')
})

test('on PostgreSQL the generated secret is shared by all instances, with a warning', async () => {
  await using where = await postgresPlace()
  await using one = await where.open()
  await using two = await where.open()
  const [first, second] = await Promise.all(
    [one, two].map((engine) => loadSecret({ engine, dataDir: '/nowhere', configured: undefined, randomBytes })),
  )
  expect(second!.key('login')).toEqual(first!.key('login'))
  expect(first!.warning).toContain('PARLEY_SECRET')
})
