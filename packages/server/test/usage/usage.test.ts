import type { CreatedToken, ModelsConfig, RunPage, UsageReport } from '@parley/protocol/rest'
import { type FakeModel, startFakeModel } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { join } from '../auth/people.ts'
import { askDatabase } from '../wire/beside.ts'
import { askCall, STORES, World } from '../wire/world.ts'

const USED = { input: 1_000, output: 200, cacheRead: 400 }

describe.each(STORES)('on %s', (store) => {
  let priced: FakeModel
  let world: World
  beforeAll(async () => {
    priced = await startFakeModel(() => ({ text: 'For money.', usage: USED }))
    const price = { input: 3, output: 15, cached: 0.3 }
    world = await World.open(store, {
      models: [{ id: 'priced', provider: 'openai-compatible', url: priced.url, price }],
      currency: 'EUR',
      prices: { 'listed-model': { input: 1, output: 2 }, priced: { input: 999, output: 999 } },
      language: 'en',
    })
    world.learn({
      'say it': [{ text: 'Said.', usage: { input: 10, output: 5 } }],
      'fail now': [{ error: { status: 401 } }],
      'ask me': [
        { calls: [askCall()], usage: { input: 20, output: 6 } },
        { text: 'Thanks.', usage: { input: 30, output: 1 } },
      ],
    })
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await priced?.[Symbol.asyncDispose]()
  })
  const usage = async (query = '', token?: string) => {
    const { status, body } = await world.rest<UsageReport>('GET', `/api/usage${query}`, { ...(token && { token }) })
    expect([status, body]).toMatchObject([200, {}])
    return body
  }
  const chat = async (message: string, token: string, more: object = {}) => {
    const session_id = await world.newSession({}, token)
    await world.rest('POST', `/api/sessions/${session_id}/chat`, {
      token,
      body: { message, model: 'fake-model', ...more },
    })
    return session_id
  }

  test('[W11.7] runs are told with their tokens, cost and times, by model; what has no price costs nothing that is known', async () => {
    const { key: token, id } = await join(world, 'ursula')
    await chat('say it', token)
    await chat('say it', token)
    await chat('anything', token, { model: 'priced' })
    await chat('fail now', token)
    const report = await usage('?by=model', token)
    expect(report).toMatchObject({ by: 'model', bucket: 'day', timezone: 'UTC', currency: 'EUR' })
    const cost = (600 * 3 + 400 * 0.3 + 200 * 15) / 1_000_000
    expect(report.total).toMatchObject({
      ...{
        runs: 4,
        failed: 1,
        interrupted: 0,
        paused: 0,
        input_tokens: 1_020,
        cached_tokens: 400,
        output_tokens: 210,
        cost_is_partial: true,
      },
    })
    expect(report.total.cost).toBe(cost)
    expect(report.groups).toMatchObject([
      { key: 'priced', runs: 1, failed: 0, input_tokens: 1_000 },
      { key: 'fake-model', runs: 3, failed: 1, input_tokens: 20, output_tokens: 10 },
    ])
    expect(report.groups[0]!.cost).toBe(cost)
    expect(report.groups[0]).not.toHaveProperty('cost_is_partial')
    expect(report.groups[1]).not.toHaveProperty('cost')
    const { first_token_ms, run_ms } = report.groups[1]!
    expect(first_token_ms!.p50).toBeGreaterThanOrEqual(0)
    expect(run_ms!.p95).toBeGreaterThanOrEqual(run_ms!.p50)
    expect(run_ms!.p50).toBeGreaterThanOrEqual(first_token_ms!.p50)
    expect(new Set(report.buckets.map(({ key }) => key))).toEqual(new Set(['fake-model', 'priced']))
    expect(new Date(report.buckets[0]!.start).getUTCHours()).toBe(0)
    expect((await usage('', token)).groups).toEqual([])
    expect((await usage('?by=outcome', token)).groups).toMatchObject([
      { key: 'completed', runs: 3 },
      { key: 'failed', runs: 1 },
    ])
    expect((await usage('?by=user', token)).groups).toMatchObject([{ key: id, name: 'ursula', runs: 4 }])
  })

  test('[W11.8] a run tells what it cost, and nothing where no model of it has a price; visitors are told no prices', async () => {
    const { key: token } = await join(world, 'penny')
    const runsOf = async (session_id: string) =>
      (await world.rest<RunPage>('GET', `/api/sessions/${session_id}/runs`, { token })).body.items
    expect(await runsOf(await chat('anything', token, { model: 'priced' }))).toMatchObject([
      { cost: 0.00492, currency: 'EUR' },
    ])
    const [free] = await runsOf(await chat('say it', token))
    for (const name of ['cost', 'currency', 'cost_is_partial']) expect(free).not.toHaveProperty(name)
    const prices = async (by: string) => {
      const { body } = await world.rest<ModelsConfig>('GET', '/api/config/models', { token: by })
      return Object.fromEntries(body.models.map(({ id, price }) => [id, price]))
    }
    expect(await prices(token)).toMatchObject({
      priced: { input: 3, cached: 0.3, output: 15, currency: 'EUR' },
      'fake-model': undefined,
    })
    const guest = await world.rest<CreatedToken>('POST', '/api/auth/tokens', { token, body: { subject: 'g' } })
    expect(Object.values(await prices(guest.body.token)).filter(Boolean)).toEqual([])
  })

  test('[W11.7] slices of many runs add up to what they are', async () => {
    const { id, key: token } = await join(world, 'many')
    const day = Date.parse('2025-03-30T00:30:00Z')
    const rows = Array.from({ length: 4_500 }, (_, n) => {
      const at = day + Math.floor(n / 3) * 60_000
      return `('many-${n}', 'm${n % 3}', 1, '${id}', '${['completed', 'failed'][n % 2]}', ${at}, ${n}, 0, 1, ${n % 100}, ${n}, 0)`
    })
    for (let at = 0; at < rows.length; at += 500)
      await askDatabase(
        world,
        `INSERT INTO run_usage (run_id, model, is_run, account_id, outcome, at, input_tokens, cached_tokens, output_tokens, first_token_ms, run_ms, waited_ms) VALUES ${rows.slice(at, at + 500).join(', ')}`,
      )
    const range = `?from=2025-03-29T00:00:00Z&to=2025-04-02T00:00:00Z&timezone=Europe/Berlin`
    const report = await usage(`${range}&by=model`, token)
    expect(report.total).toMatchObject({ runs: 4_500, failed: 2_250, input_tokens: (4_499 * 4_500) / 2 })
    expect(report.groups.map(({ runs }) => runs)).toEqual([1_500, 1_500, 1_500])
    const sums = new Map<string, number>()
    for (const { start, runs } of report.buckets) sums.set(start, (sums.get(start) ?? 0) + runs)
    // Clocks were set on the first of these days, which had an hour less.
    expect([...sums]).toEqual([
      ['2025-03-29T23:00:00.000Z', 3 * 21.5 * 60],
      ['2025-03-30T22:00:00.000Z', 4_500 - 3 * 21.5 * 60],
    ])
    const hours = await usage(`${range}&bucket=hour`, token)
    expect(hours.buckets.reduce((sum, { runs }) => sum + runs, 0)).toBe(4_500)
    expect(hours.buckets[1]).toMatchObject({ start: '2025-03-30T01:00:00.000Z', runs: 180 })
    expect(hours.total).toEqual((await usage(range, token)).total)
  })

  test('[W11.7] a visitor’s runs are their account’s, by the key that their token was made with; others see none of them', async () => {
    const owner = await join(world, 'olga')
    const made = await world.rest<CreatedToken>('POST', '/api/auth/tokens', {
      token: owner.key,
      body: { subject: 'guest', scopes: ['chat'] },
    })
    await chat('say it', made.body.token)
    await chat('say it', owner.key)
    const { groups } = await usage('?by=key', owner.key)
    expect(groups).toMatchObject([{ key: expect.any(String), name: expect.any(String), runs: 2 }])
    expect((await usage('?by=user', owner.key)).groups).toMatchObject([{ name: 'olga', runs: 2 }])
    const stranger = await join(world, 'stanley')
    expect((await usage('', stranger.key)).total.runs).toBe(0)
    expect((await world.rest('GET', '/api/usage', { token: made.body.token })).status).toBe(403)
    expect((await world.rest('GET', '/api/usage', { token: null })).status).toBe(401)
    // Owners see everybody's.
    expect((await usage('?by=user')).groups.map(({ name }) => name)).toEqual(expect.arrayContaining(['olga']))
  })

  test('[W11.7] waiting for a person is a time of its own, and no part of a run’s', async () => {
    const { key: token } = await join(world, 'wanda')
    const session_id = await world.newSession({}, token)
    await using talk = await world.chat({ session_id, token })
    await talk.run('ask me', { model: 'fake-model' })
    await askDatabase(world, `UPDATE run_usage SET at = at - 60000 WHERE outcome = 'paused'`)
    await world.rest('POST', `/api/sessions/${session_id}/chat`, {
      token,
      body: { message: '', askuser_answer: await answerOf(session_id, token) },
    })
    const { total, groups } = await usage('?by=outcome', token)
    expect(total).toMatchObject({ runs: 2, paused: 1, input_tokens: 50, output_tokens: 7 })
    expect(total.waited_ms).toBeGreaterThanOrEqual(60_000)
    expect(total.run_ms!.p95).toBeLessThan(60_000)
    expect(new Set(groups.map(({ key }) => key))).toEqual(new Set(['completed', 'paused']))
  })

  test('[W11.7] what a deleted session used stays, and what a removed person used stays without their name', async () => {
    const { key: token, id } = await join(world, 'dora')
    const session_id = await chat('say it', token)
    await world.rest('DELETE', `/api/sessions/${session_id}`, { token })
    expect((await usage('', token)).total.runs).toBe(1)
    const before = (await usage()).total.runs
    expect((await world.rest('DELETE', `/api/users/${id}`)).status).toBe(204)
    const after = await usage('?by=user')
    expect(after.total.runs).toBe(before)
    expect(JSON.stringify(after)).not.toContain(id)
    expect(await askDatabase(world, `SELECT 1 FROM run_usage WHERE account_id = '${id}'`)).toEqual([])
  })

  test('[W11.7] what cannot be meant is refused by its name', async () => {
    const refused: [string, string][] = [
      ['?bucket=minute', 'bucket'],
      ['?by=colour', 'by'],
      ['?from=yesterday', 'from'],
      ['?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
      ['?from=2020-01-01T00:00:00Z', 'from'],
      ['?bucket=hour&from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z', 'from'],
      ['?timezone=Mars/Olympus', 'timezone'],
      ['?wanted=1', 'wanted'],
    ]
    for (const [query, name] of refused) {
      const { status, body } = await world.rest('GET', `/api/usage${query}`)
      expect([query, status, JSON.stringify(body)]).toEqual([query, 422, expect.stringContaining(name)])
    }
  })

  async function answerOf(session_id: string, token: string): Promise<object> {
    const { body } = await world.rest<{ pending_question: { tool_call_id: string } }>(
      'GET',
      `/api/sessions/${session_id}`,
      { token },
    )
    return { tool_call_id: body.pending_question.tool_call_id, selections: { '0': [0] } }
  }
})
