import type { CreatedShare } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { PAST_BUCKETS } from '../../src/store/env-bucket-rows.ts'
import { askDatabase } from '../wire/beside.ts'
import { sharedWorld, STORES } from '../wire/world.ts'

const BUCKET = '/api/user/env-buckets/tokens'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const put = (value: string) => world().rest('PUT', BUCKET, { body: { env: { TOKEN: value } } })
  const count = async (table: string) => {
    const [row] = await askDatabase(world(), `SELECT count(*) AS n FROM ${table}`)
    return Number(row!['n'])
  }

  test('[W12.8] a bucket that is replaced costs one row, however many sessions its user has', async () => {
    for (let n = 0; n < 12; n++) await world().newSession()
    await put('canary-one')
    const before = (await count('past_buckets')) + (await count('past_secrets'))
    await put('canary-two')
    await world().rest('DELETE', BUCKET)
    expect((await count('past_buckets')) + (await count('past_secrets'))).toBe(before + 2)
  })

  test('[W12.8] what a bucket held is masked in a share and an export of a session from before', async () => {
    world().learn({ 'say it': [{ text: 'It is canary-of-old.' }] })
    const session_id = await world().newSession()
    await put('canary-of-old')
    await using chat = await world().chat({ session_id })
    await chat.run('say it')
    await put('canary-of-late')
    await world().rest('DELETE', BUCKET)
    const { body: share } = await world().rest<CreatedShare>('POST', `/api/sessions/${session_id}/share`, { body: {} })
    const { body: shown } = await world().rest('GET', `/api/share/${share.token}`, { token: null })
    expect(JSON.stringify(shown)).toContain('It is [secret].')
    const exported = await world().rest<string>('GET', `/api/sessions/${session_id}/export?format=markdown`)
    expect(exported.body).toContain('It is [secret].')
  })

  test('[W12.8] old values are kept up to a number and a size, the newest, and another user’s are not touched', async () => {
    const stranger = { token: world().strangersKey }
    await world().rest('PUT', BUCKET, { body: { env: { TOKEN: 'canary-theirs' } }, ...stranger })
    await world().rest('DELETE', BUCKET, stranger)
    const filler = `INSERT INTO past_buckets (user_id, at, sealed, size) SELECT id, 1, 'old', ${PAST_BUCKETS.bytes} FROM users`
    for (let n = 0; n < 3; n++) await askDatabase(world(), filler)
    await put('canary-first')
    await put('canary-second')
    const sealed = async (of: string) =>
      (await askDatabase(world(), `SELECT sealed FROM past_buckets WHERE ${of}`)).map((row) => row['sealed'])
    const mine = `user_id = (SELECT user_id FROM env_buckets WHERE bucket = 'tokens')`
    expect(await sealed(mine)).not.toContain('old')
    expect((await sealed(`NOT ${mine}`)).filter((one) => one === 'old')).not.toEqual([])
    expect(await sealed(`NOT ${mine} AND sealed <> 'old'`)).not.toEqual([])
    await askDatabase(
      world(),
      `INSERT INTO past_buckets (user_id, at, sealed, size)
        WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${PAST_BUCKETS.rows + 100})
        SELECT b.user_id, 2, 'x', 1 FROM env_buckets b, numbers WHERE b.bucket = 'tokens'`,
    )
    expect(await count(`past_buckets WHERE ${mine}`)).toBeGreaterThan(PAST_BUCKETS.rows)
    await put('canary-last')
    expect(await count(`past_buckets WHERE ${mine}`)).toBe(PAST_BUCKETS.rows)
  })
})
