import type { SessionDetail, TurnProjection } from '@parley/protocol'
import type { CreatedShare } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { askDatabase } from './beside.ts'
import { type Chat } from './chat.ts'
import { sharedWorld, STORES } from './world.ts'

const ENV = { calls: [{ name: 'Bash', arguments: { command: 'env' } }] }

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const put = (id: string, body: unknown, token?: string | null) =>
    world().rest<SessionDetail & { env: object; detail?: string; code?: string }>('PUT', `/api/sessions/${id}/env`, {
      body,
      ...(token !== undefined && { token }),
    })
  /** What a tool of the last run was given. */
  const seen = async (chat: Chat) => {
    const turns: TurnProjection[] = await chat.messages()
    return JSON.parse(turns.flatMap(({ tool_calls }) => tool_calls).at(-1)!.result as string) as object
  }

  test('[W12.8] a session’s variables are replaced as a whole, for the tools of the next run; a run’s own win', async () => {
    world().learn({
      'env 1': [ENV, { text: 'Seen' }],
      'env 2': [ENV, { text: 'Seen' }],
      'env 3': [ENV, { text: 'Seen' }],
    })
    const session_id = await world().newSession({ env: { OLD: 'old value', KEPT: 'first value' } })
    await using chat = await world().chat({ session_id })
    await chat.run('env 1')
    expect(await seen(chat)).toEqual({ OLD: 'old value', KEPT: 'first value' })
    const answer = await put(session_id, { env: { KEPT: 'second value', NEW: 'new value' } })
    expect(answer).toMatchObject({
      status: 200,
      body: { id: session_id, env: { KEPT: '***', NEW: '***' }, session_setup: { env_keys: ['KEPT', 'NEW'] } },
    })
    expect(JSON.stringify(answer.body)).not.toContain('value')
    await chat.run('env 2', { runtime_env: { NEW: 'of the run' } })
    expect(await seen(chat)).toEqual({ KEPT: 'second value', NEW: 'of the run' })
    expect((await put(session_id, { env: {} })).body).toMatchObject({ env: {}, session_setup: { env_keys: [] } })
    await chat.run('env 3')
    expect(await seen(chat)).toEqual({})
  })

  test('[W12.8] values lie sealed in the database, and are told to nobody', async () => {
    const session_id = await world().newSession({ env: { FIRST: 'canary-first-value' } })
    await using chat = await world().chat({ session_id })
    await put(session_id, { env: { SECOND: 'canary-second-value' } })
    const rows = [
      ...(await askDatabase(world(), `SELECT * FROM sessions WHERE id = '${session_id}'`)),
      ...(await askDatabase(world(), `SELECT * FROM past_secrets WHERE session_id = '${session_id}'`)),
      ...(await askDatabase(world(), `SELECT * FROM audit`)),
      ...(await askDatabase(world(), `SELECT * FROM events WHERE session_id = '${session_id}'`)),
    ]
    const told = JSON.stringify([rows, await world().session(session_id), chat.received, world().warnings])
    expect(told).not.toContain('canary-')
    await world().rest('DELETE', `/api/sessions/${session_id}`)
    expect(await askDatabase(world(), `SELECT * FROM past_secrets WHERE session_id = '${session_id}'`)).toEqual([])
  })

  test('[W12.8] what was replaced is still masked where the history shows it', async () => {
    world().learn({ 'print it': [{ text: 'It is canary-replaced-value.' }] })
    const session_id = await world().newSession({ env: { VALUE: 'canary-replaced-value' } })
    await using chat = await world().chat({ session_id })
    await chat.run('print it')
    await put(session_id, { env: { VALUE: 'another' } })
    const { body: share } = await world().rest<CreatedShare>('POST', `/api/sessions/${session_id}/share`, { body: {} })
    const { body: shown } = await world().rest('GET', `/api/share/${share.token}`, { token: null })
    expect(JSON.stringify(shown)).toContain('It is [secret].')
  })

  test('[W12.8] without an account 401, of somebody else 404, and what is no environment is refused by name', async () => {
    const session_id = await world().newSession({ env: { A: 'b' } })
    expect((await put(session_id, { env: {} }, null)).status).toBe(401)
    expect(await put(session_id, { env: {} }, world().strangersKey)).toMatchObject({
      status: 404,
      body: { code: 'session_not_found' },
    })
    const misfits: unknown[] = [
      {},
      { env: null },
      { env: [] },
      { env: { A: 1 } },
      { env: { A: 'canary\0value' } },
      { env: { 'A=B': 'c' } },
      { env: { '': 'c' } },
      { env: { '1A': 'c' } },
    ]
    for (const body of misfits) {
      const refused = await put(session_id, body)
      expect([body, refused]).toMatchObject([body, { status: 422, body: { detail: expect.stringContaining('env') } }])
      expect(JSON.stringify(refused.body)).not.toContain('canary')
    }
    expect((await world().session(session_id)).session_setup.env_keys).toEqual(['A'])
  })
})
