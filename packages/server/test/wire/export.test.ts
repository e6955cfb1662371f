import type { TurnProjection } from '@parley/protocol'
import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { mint } from '../auth/visitors.ts'
import { OWNER_KEY, sharedWorld, STORES, type World } from './world.ts'

/** The archive of a session, file by file. */
async function exported(world: World, id: string): Promise<Record<string, string>> {
  const answer = await fetch(`${world.url}/api/sessions/${id}/export`, {
    headers: { authorization: `Bearer ${OWNER_KEY}` },
  })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/zip')
  const files = unzipSync(new Uint8Array(await answer.arrayBuffer()))
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]))
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as TurnProjection)

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const markdown = (id: string, options: object = {}) =>
    world().rest<string>('GET', `/api/sessions/${id}/export?format=markdown`, options)

  test('[W12.6] an archive holds the session, its turns, what the model got, and its workspace', async () => {
    world().learn({
      'pack it': [{ calls: [{ name: 'Bash', arguments: { command: 'ls' } }] }, { thinking: 'hm', text: 'Packed.' }],
    })
    const id = await world().newSession({ intent: 'Boxes / and "crates"', env: { NAME: 'canary-of-the-session' } })
    await using chat = await world().chat({ session_id: id })
    await chat.run('pack it')
    for (const [path, content] of [
      ['notes/a.txt', 'first'],
      ['b.txt', 'second'],
    ])
      await world().rest('PUT', `/api/sessions/${id}/files/${path}`, { body: { content } })
    const files = await exported(world(), id)
    expect(Object.keys(files)).toEqual([
      ...['manifest.json', 'session.json', 'turns.jsonl', 'history.jsonl'],
      ...['workspace/b.txt', 'workspace/notes/', 'workspace/notes/a.txt'],
    ])
    expect(JSON.parse(files['manifest.json']!)).toEqual({
      format: 'parley-session',
      version: 1,
      exported_at: expect.stringMatching(/^20.*Z$/),
    })
    const session = JSON.parse(files['session.json']!) as object
    expect(session).toMatchObject({ id, intent: 'Boxes / and "crates"', session_setup: { env_keys: ['NAME'] } })
    expect(Object.keys(session)).not.toContain('user_id')
    expect(linesOf(files['turns.jsonl']!)).toEqual(await world().messages(id))
    const roles = files['history.jsonl']!.trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as TurnProjection).role)
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(files['workspace/notes/a.txt']).toBe('first')
    expect(JSON.stringify(files)).not.toContain('canary-')
    const { headers } = await world().rest('GET', `/api/sessions/${id}/export`)
    expect(headers.get('content-disposition')).toContain('filename="Boxes and crates.zip"')
  })

  test('[W12.6] as Markdown it tells who said what, with tools and their results', async () => {
    world().learn({
      'write it down': [
        { calls: [{ name: 'Bash', arguments: { command: 'echo ```' } }] },
        { thinking: 'a thought', text: 'Done, see `x`.' },
      ],
    })
    const id = await world().newSession({ intent: 'A\ntitle' })
    await using chat = await world().chat({ session_id: id })
    await chat.run('write it down')
    const answer = await markdown(id)
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toContain('filename="A title.md"')
    const text = answer.body
    expect(text).toMatch(/^# A title\n/)
    expect(text).toMatch(/## User · 20.*Z\n\nwrite it down\n/)
    expect(text).toContain('**Run a command** (`Bash`, done)')
    expect(text).toContain('````\ntotal 48\nran echo ```\n````')
    expect(text).toContain('Done, see `x`.')
    expect(text).not.toContain('a thought')
    expect((await markdown(id, { headers: { 'accept-language': 'zh' } })).body).toContain('## 用户')
  })

  test('[W12.6] neither form holds a secret that was said', async () => {
    const canaries = ['canary-session-value', 'canary-runtime-value', OWNER_KEY]
    world().learn({ 'say them': [{ text: `Here: ${canaries.join(' and ')}` }] })
    const id = await world().newSession({ intent: 'canary-session-value', env: { A: canaries[0] } })
    await using chat = await world().chat({ session_id: id })
    await chat.run('say them', { runtime_env: { B: canaries[1] } })
    const archive = JSON.stringify(await exported(world(), id))
    const { body: text, headers } = await markdown(id)
    expect(text).toContain('Here: [secret] and [secret] and [secret]')
    for (const canary of canaries)
      for (const told of [archive, text, headers.get('content-disposition')!]) expect(told).not.toContain(canary)
  })

  test('[W12.6] without an account 401, of somebody else 404, in another form 422; of a visitor’s by its name', async () => {
    const id = await world().newSession()
    const at = `/api/sessions/${id}/export`
    expect((await world().rest('GET', at, { token: null })).status).toBe(401)
    expect(await world().rest('GET', at, { token: world().strangersKey })).toMatchObject({
      status: 404,
      body: { code: 'session_not_found' },
    })
    expect(await world().rest('GET', `${at}?format=pdf`)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('format') },
    })
    const { token } = await mint(world(), 'packer')
    const theirs = await world().newSession({ intent: 'theirs' }, token)
    expect((await world().rest('GET', `/api/sessions/${theirs}/export`)).status).toBe(404)
    expect((await world().rest('GET', `/api/sessions/${theirs}/export`, { token })).status).toBe(403)
    expect((await world().rest('GET', `/api/sessions/${theirs}/export?subject=packer`)).status).toBe(200)
  })

  test('[W12.6] an empty session is an archive, too', async () => {
    const files = await exported(world(), await world().newSession())
    expect(files['turns.jsonl']).toBe('')
    expect(files['history.jsonl']).toBe('')
  })
})
