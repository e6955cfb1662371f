import { expect, test } from 'vitest'
import { postgresPlace, proxied } from '../store/place.ts'
import { World } from '../wire/world.ts'
import { answer, ask, post } from './reader.ts'

async function twoInstances() {
  await using parts = new AsyncDisposableStack()
  const one = parts.use(await World.open('postgres'))
  const { databaseUrl, dataDir } = one
  const two = parts.use(await World.open('sqlite', { databaseUrl: databaseUrl!, dataDir }))
  const moved = parts.move()
  return { one, two, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

test('[O12.4] [O16.3] a session begun on one instance is continued on another, with all that was said', async () => {
  await using instances = await twoInstances()
  const { one, two } = instances
  one.learn({ 'here: first': [{ text: 'said here' }] })
  two.learn({ 'there: next': [{ text: 'said there' }] })
  const { session_id } = await answer(one, { user_input: 'here: first' })
  const next = await answer(two, { user_input: 'there: next', session_id })
  expect(next.trace.slice(-2)).toEqual(['message_completed(said there)', 'response_completed'])
  expect(JSON.stringify(two.requests('there: next')[0]!.messages)).toContain('said here')
})

test('[O12.3] [O16.9] while one instance streams, the session is busy on the other; hanging up frees it there', async () => {
  await using instances = await twoInstances()
  const { one, two } = instances
  one.learn({ 'here: long': [{ text: 'half an answer', hang: 'after' }] })
  two.learn({ 'there: after': [{ text: 'said there' }] })
  const leaving = new AbortController()
  const response = await ask(one, { user_input: 'here: long' }, { signal: leaving.signal })
  await response.until(({ type }) => type === 'message_update')
  const { session_id } = response
  const refused = await post(two, { user_input: 'there: too soon', session_id })
  expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([
    409,
    `Session is busy: ${session_id}`,
  ])
  leaving.abort()
  const next = await answer(two, { user_input: 'there: after', session_id })
  expect(next.trace.slice(-2)).toEqual(['message_completed(said there)', 'response_completed'])
  expect(await one.requests('here: long')[0]!.closed).toBe('aborted')
})

test.each(['refuses', 'is silent'])(
  '[O16.7] [O11.2] a PostgreSQL that %s ends the response within two seconds',
  async (how) => {
    await using place = await postgresPlace()
    await using between = await proxied(place)
    await using world = await World.open('sqlite', { databaseUrl: between.at })
    const text = Array.from({ length: 2_000 }, (_, index) => `word${index}`).join(' ')
    world.learn({ 'store: away': [{ text, chunkDelayMs: 20 }] })
    const response = await ask(world, { user_input: 'store: away' })
    await response.until(({ type }) => type === 'message_update')
    const downAt = performance.now()
    between.proxy.refuse(true)
    if (how === 'refuses') between.proxy.cut()
    else between.proxy.silence()
    await response.done
    between.proxy.refuse(false)
    expect(performance.now() - downAt).toBeLessThan(2_000)
    expect(response.types.slice(-3)).toEqual(['message_completed', 'error', 'response_completed'])
  },
)
