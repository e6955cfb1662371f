import { describe, expect, test } from 'vitest'
import { places } from '../store/place.ts'
import { me, Rig } from './rig.ts'

const name = { kind: 'sse', id: 'session_1704067200000' }
const stranger = { user_id: 'user_2' }

describe.each(places)('%s: names that clients give', (_kind, makePlace) => {
  test('[FP1] the first use of a name makes a session, every later one finds it', async () => {
    await using place = await makePlace()
    await using rig = new Rig(place.at, await place.open())
    const { sessions } = rig.instance()
    expect(await sessions.find(me, name)).toBeUndefined()
    const { id } = await sessions.create(me, { intent: 'first' }, name)
    expect(await sessions.create(me, { intent: 'second' }, name)).toMatchObject({ id, intent: 'first' })
    expect(await sessions.find(me, name)).toMatchObject({ id })
    expect(await sessions.find(me, { ...name, kind: 'agui' })).toBeUndefined()
    expect((await sessions.list(me, {})).total).toBe(1)
  })

  test('[FP1] [F1.3.1] a name belongs to its user: the same one is another session of somebody else', async () => {
    await using place = await makePlace()
    await using rig = new Rig(place.at, await place.open())
    const { sessions } = rig.instance()
    const mine = await sessions.create(me, {}, name)
    expect(await sessions.find(stranger, name)).toBeUndefined()
    const theirs = await sessions.create(stranger, {}, name)
    expect(theirs.id).not.toBe(mine.id)
    expect(await sessions.find(me, name)).toMatchObject({ id: mine.id })
  })

  test('[FP1] of many first uses at once one makes the session, and all get it', async () => {
    await using place = await makePlace()
    await using rig = new Rig(place.at, await place.open())
    const [one, two] = [rig.instance(), rig.instance()]
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, i) => (i % 2 ? one : two).sessions.create(me, {}, name)),
    )
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect((await one.sessions.list(me, {})).total).toBe(1)
  })

  test('[FX-18] a name goes with its session, and then starts anew', async () => {
    await using place = await makePlace()
    await using rig = new Rig(place.at, await place.open())
    const { sessions } = rig.instance()
    const { id } = await sessions.create(me, {}, name)
    await sessions.delete(me, id)
    expect(await rig.sql('SELECT * FROM aliases')).toEqual([])
    expect((await sessions.create(me, {}, name)).id).not.toBe(id)
  })
})

test.each(['', 'x'.repeat(257), 'a\nb', 'a\0b', '\ud800'])(
  '[F1.3.1] %j is no name, and nothing is stored',
  async (id) => {
    await using rig = await Rig.open(':memory:')
    const { sessions } = rig.instance()
    await expect(sessions.create(me, {}, { kind: 'sse', id })).rejects.toMatchObject({ code: 'invalid_payload' })
    expect((await sessions.list(me, {})).total).toBe(0)
  },
)
