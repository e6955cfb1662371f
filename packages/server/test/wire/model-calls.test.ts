import { describe, expect, test } from 'vitest'
import type { GivenModelCall, ModelCall } from '../../src/model-calls/model-call-rows.ts'
import { requestBody } from '../../src/models/openai-compatible/request-body.ts'
import type { ModelInput } from '../../src/ports.ts'
import { mint } from '../auth/visitors.ts'
import { openStore } from '../../src/open-store.ts'
import { withDefaults } from '../../src/config/options.ts'
import { agentCall, sharedWorld, STORES, World } from './world.ts'

type Page = { items: ModelCall[]; total: number }

const listOf = async (world: World, id: string) =>
  (await world.rest<Page>('GET', `/api/sessions/${id}/model-calls?limit=100`)).body

/** Every call of a session, with what it was given. */
async function callsOf(world: World, id: string): Promise<GivenModelCall[]> {
  const { items } = await listOf(world, id)
  const reading = items.map(async ({ event_seq }) => {
    const { body } = await world.rest<GivenModelCall>('GET', `/api/sessions/${id}/model-calls/${event_seq}`)
    return body
  })
  return Promise.all(reading)
}

const bytesOf = (input: ModelInput | null) =>
  requestBody({ ...input!, signal: new AbortController().signal }, 'fake-model')

async function contentsOf({ dataDir, databaseUrl }: World, id: string): Promise<{ content: string }[]> {
  await using engine = await openStore(withDefaults({ dataDir, ...(databaseUrl && { databaseUrl }) }))
  return engine.select<{ content: string }>('SELECT content FROM contents WHERE session_id = ?', [id])
}

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  test('every call of a model can be shown, and asked again byte for byte', async () => {
    world().learn({
      'call a tool twice': [
        { thinking: 'Hm.', calls: [{ name: 'Read', arguments: { file_path: 'a.txt' } }] },
        { calls: [agentCall('look closer')] },
        { text: 'Done.' },
      ],
      'look closer': [{ text: 'Closer.' }],
      'and again': [{ text: 'Once more.' }],
    })
    await using chat = await world().chat()
    await chat.run('call a tool twice')
    await chat.run('and again')
    const calls = await callsOf(world(), chat.session_id)
    const sent = ['call a tool twice', 'look closer', 'and again'].flatMap((question) => world().requests(question))
    expect(calls).toHaveLength(5)
    const bytes = new Set(sent.map((request) => request.bytes.toString()))
    expect(new Set(calls.map(({ input }) => bytesOf(input)))).toEqual(bytes)
    const answers = (await chat.messages()).filter(({ role }) => role === 'assistant')
    expect(new Set(calls.map(({ turn_id }) => turn_id))).toEqual(new Set(answers.map(({ turn_id }) => turn_id)))
    expect(calls.map(({ model }) => model)).toEqual(calls.map(() => 'fake-model'))
    expect(new Set(calls.map(({ digests }) => digests.system)).size).toBe(1)
    expect(new Set(calls.map(({ digests }) => digests.messages)).size).toBe(5)
  })

  test('each text is kept once: a call that goes on where the last one ended adds its own messages only', async () => {
    const rounds = 20
    const read = (round: number) => ({ calls: [{ name: 'Read', arguments: { file_path: `${round}.txt` } }] })
    world().learn({ 'a long run': (_request, round) => (round < rounds ? read(round) : { text: 'Done.' }) })
    await using chat = await world().chat()
    await chat.run('a long run')
    const { total } = await listOf(world(), chat.session_id)
    expect(total).toBe(rounds + 1)
    await world().stop()
    const contents = await contentsOf(world(), chat.session_id)
    await world().start()
    // A system prompt, the tools; a user's message, and an answer with its result for every round; a link for each of these.
    expect(contents).toHaveLength(2 + 2 * (1 + 2 * rounds))
  })

  test('a call that the provider refused is on record too', async () => {
    world().learn({ 'refuse me': [{ error: { status: 401 } }] })
    await using chat = await world().chat()
    await chat.run('refuse me')
    const [call] = await callsOf(world(), chat.session_id)
    expect(bytesOf(call!.input)).toBe(world().requests('refuse me')[0]!.bytes.toString())
  })

  test('it is the account’s to read, and goes with its session', async () => {
    world().learn({ 'whose is this': [{ text: 'Yours.' }] })
    await using chat = await world().chat()
    await chat.run('whose is this')
    const path = `/api/sessions/${chat.session_id}/model-calls`
    const [call] = (await listOf(world(), chat.session_id)).items
    const visitor = await mint(world(), 'ada')
    expect(await world().rest('GET', path, { token: visitor.token })).toMatchObject({ status: 403 })
    expect(await world().rest('GET', path, { token: world().strangersKey })).toMatchObject({ status: 404 })
    for (const number of ['0', '-1', '1.5', 'x'])
      expect((await world().rest('GET', `${path}/${number}`)).status).toBe(422)
    expect(await world().rest('GET', `${path}/${call!.event_seq + 1}`)).toMatchObject({ body: { code: 'not_found' } })
    expect(await world().rest('GET', `${path}?limit=0`)).toMatchObject({ status: 422 })
    await world().rest('DELETE', `/api/sessions/${chat.session_id}`)
    await world().stop()
    expect(await contentsOf(world(), chat.session_id)).toEqual([])
    await world().start()
  })
})

// One database is enough for 37 million characters: who counts them is not it.
test('a call with more than can be shown is refused by name, and the others are shown', async () => {
  await using world = await World.open('sqlite')
  world.learn({ 'a small one': [{ text: 'Small.' }], 'and pictures': [{ text: 'Seen.' }] })
  await using chat = await world.chat()
  await chat.run('a small one')
  // Deflated, each of these is a few hundred characters.
  const long = Array.from({ length: 150 }, (_, index) => ({ type: 'text', text: `${index}`.padEnd(250_000, 'x') }))
  await chat.run([...long.slice(0, 70), { type: 'text', text: 'and pictures' }] as never)
  await chat.run([...long.slice(70), { type: 'text', text: 'and pictures' }] as never)
  const calls = (await listOf(world, chat.session_id)).items
  const read = async (at: number) =>
    world.rest('GET', `/api/sessions/${chat.session_id}/model-calls/${calls.at(at)!.event_seq}`)
  expect(await read(-1)).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
  expect(await read(0)).toMatchObject({ status: 200 })
})
