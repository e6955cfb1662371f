import { describe, expect, test } from 'vitest'
import { appendEvents } from '../../src/store/append.ts'
import { applyCommand, pendingCommands, storeCommand } from '../../src/store/commands.ts'
import { deleteSessionRows } from '../../src/store/session-rows.ts'
import { runSql } from '../../src/store/work.ts'
import { journalOf, newSession, oneTo, stored, structural, textOf } from './fixtures.ts'
import { places } from './place.ts'

describe.each(places)('commands on %s', (_name, makePlace) => {
  test('[D2.3] a command is stored once per id, however often it is sent', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const session = await newSession(engine)
    const other = await newSession(engine)
    const send = (session_id: string, data: string) =>
      engine.write(() => storeCommand({ session_id, id: 'cmd_1', kind: 'append', data }))
    const results = await Promise.all(oneTo(5).map((n) => send(session, `"${n}"`)))
    expect(results.filter(Boolean)).toHaveLength(1)
    expect(await send(session, '"later"')).toBe(false)
    expect(await send(other, '"elsewhere"')).toBe(true)
    const pending = await engine.read(() => pendingCommands(session))
    expect(pending).toMatchObject([
      { session_id: session, id: 'cmd_1', kind: 'append', data: `"${results.indexOf(true) + 1}"` },
    ])
  })

  test('[D2.3] commands are applied in the order in which they were stored, also within one millisecond', async () => {
    await using place = await makePlace()
    await using engine = await place.open({ now: () => 2_000_000_000_000 })
    const session = await newSession(engine)
    const ids = oneTo(20).map((n) => `cmd_${99 - n}`)
    for (const id of ids)
      await engine.write(() => storeCommand({ session_id: session, id, kind: 'append', data: '{}' }))
    expect((await engine.read(() => pendingCommands(session))).map(({ id }) => id)).toEqual(ids)
  })

  test('[D2.3] a command is applied once, with its effect in the same transaction', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const session = await newSession(engine)
    await engine.write(() => storeCommand({ session_id: session, id: 'cmd_1', kind: 'append', data: '{}' }))
    const apply = (fails: boolean) =>
      engine.write(function* () {
        if (!(yield* applyCommand(session, 'cmd_1'))) return false
        yield* appendEvents(journal.appending(session, null, [structural('effect')]))
        if (fails) throw new Error('crashed in between')
        return true
      })
    await expect(apply(true)).rejects.toThrow('crashed in between')
    expect(await engine.read(() => pendingCommands(session))).toHaveLength(1)
    expect((await Promise.all([apply(false), apply(false), apply(false)])).filter(Boolean)).toHaveLength(1)
    expect(await engine.read(() => pendingCommands(session))).toEqual([])
    expect((await stored(engine, session)).map(textOf)).toEqual(['effect'])
    expect(await engine.write(() => applyCommand(session, 'cmd_unknown'))).toBe(false)
  })

  test('[D6] commands go with their session', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const session = await newSession(engine)
    await engine.write(() => storeCommand({ session_id: session, id: 'cmd_1', kind: 'append', data: '{}' }))
    await engine.write(() => deleteSessionRows(engine, session, []))
    expect(await engine.read(() => pendingCommands(session))).toEqual([])
  })

  test.each(['UPDATE audit SET actor = NULL', `UPDATE audit SET subject = 'else'`, 'DELETE FROM audit'])(
    '[D7] %s is refused by the database itself',
    async (change) => {
      await using place = await makePlace()
      await using engine = await place.open()
      await engine.write(() =>
        runSql(`INSERT INTO audit (at, actor, action, subject) VALUES (1, 'user_1', 'sign-in', 'key_1')`, []),
      )
      await expect(engine.write(() => runSql(change, []))).rejects.toThrow('the audit log is append-only')
      expect(await engine.select('SELECT at, actor, action, subject FROM audit', [])).toEqual([
        { at: 1, actor: 'user_1', action: 'sign-in', subject: 'key_1' },
      ])
    },
  )
})
