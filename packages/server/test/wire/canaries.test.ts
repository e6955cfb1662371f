import type { CreatedShare } from '@parley/protocol/rest'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OWNER_KEY, STORES, World } from './world.ts'

const OF_THE_SERVER = {
  environment: 'canary-environment-4711',
  modelKey: 'canary-model-key-4712',
  secret: 'canary-server-secret-4713',
  header: 'canary-configured-header-4714',
}
const GIVEN = {
  env: 'canary-session-env-4715',
  replaced: 'canary-replaced-env-4716',
  runtime: 'canary-runtime-env-4717',
}
const REQUEST_HEADER = 'canary-request-header-4718'
const ALL = [...Object.values(OF_THE_SERVER), ...Object.values(GIVEN), OWNER_KEY]

describe.each(STORES)('on %s', (store) => {
  let world: World

  beforeAll(async () => {
    process.env['PARLEY_TEST_CANARY_TOKEN'] = OF_THE_SERVER.environment
    world = await World.open(store, {
      modelKey: OF_THE_SERVER.modelKey,
      secret: OF_THE_SERVER.secret,
      mcpServers: { none: { url: 'http://127.0.0.1:9/mcp', headers: { 'x-key': OF_THE_SERVER.header } } },
    })
  })
  afterAll(async () => {
    delete process.env['PARLEY_TEST_CANARY_TOKEN']
    await world?.[Symbol.asyncDispose]()
  })

  test('[D7] secrets are in no link, page, export, error or log, whoever said them', async () => {
    // A tool prints everything, and the model repeats it.
    world.learn({
      'print everything': [
        { calls: [{ name: 'Bash', arguments: { command: ALL.join('"') } }] },
        { thinking: ALL.join(' '), text: `I saw ${ALL.join(', ')}` },
      ],
    })
    const session_id = await world.newSession({ intent: `About ${GIVEN.replaced}`, env: { A: GIVEN.replaced } })
    const headers = { 'x-canary': REQUEST_HEADER }
    await world.rest('PUT', `/api/sessions/${session_id}/env`, { body: { env: { A: GIVEN.env } }, headers })
    await using chat = await world.chat({ session_id })
    await chat.run('print everything', { runtime_env: { B: GIVEN.runtime } })
    expect(JSON.stringify(await world.messages(session_id)), 'their owner sees them').toContain(GIVEN.runtime)

    const { body: share } = await world.rest<CreatedShare>('POST', `/api/sessions/${session_id}/share`, {
      body: {},
      headers,
    })
    const told: Record<string, string> = {}
    const get = async (name: string, path: string, token?: null) => {
      const { body, headers: answered } = await world.rest('GET', path, { headers, ...(token === null && { token }) })
      told[name] = JSON.stringify([body, [...answered]])
    }
    await get('link', `/api/share/${share.token}`, null)
    await get('page', `/share/${share.token}`, null)
    await get('markdown', `/api/sessions/${session_id}/export?format=markdown`)
    await get('detail', `/api/sessions/${session_id}`)
    await get('settings', '/api/config')
    const archive = await fetch(`${world.url}/api/sessions/${session_id}/export`, {
      headers: { authorization: `Bearer ${OWNER_KEY}`, ...headers },
    })
    const files = unzipSync(new Uint8Array(await archive.arrayBuffer()))
    for (const [name, bytes] of Object.entries(files)) told[name] = Buffer.from(bytes).toString()
    expect(told['turns.jsonl']).toContain('I saw [secret]')
    expect(told['link']).toContain('I saw [secret]')

    const bad = { env: { 'not a name': GIVEN.env } }
    for (const [name, method, path, body] of [
      ['bad env', 'PUT', `/api/sessions/${session_id}/env`, bad],
      [
        'bad message',
        'POST',
        `/api/sessions/${session_id}/chat`,
        { message: 'x', runtime_env: { '1': GIVEN.runtime } },
      ],
      ['bad share', 'DELETE', `/api/sessions/${session_id}/share/none`, undefined],
    ] as const)
      told[name] = JSON.stringify((await world.rest(method, path, { body, headers })).body)
    told['log'] = [...world.warnings, ...world.errors].join('\n')

    for (const [name, text] of Object.entries(told))
      for (const canary of [...ALL, REQUEST_HEADER])
        // The detail is its owner's own, and its title is what they called it.
        if (name !== 'detail' || canary !== GIVEN.replaced)
          expect([name, text.includes(canary) && canary]).toEqual([name, false])
  })
})
