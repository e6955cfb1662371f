import { textOf } from '@parley/protocol'
import { expect, test, vi } from 'vitest'
import { setUp, until } from '../../client/test/fast-client.ts'
import { watchTurns } from '../src/sessions/watch-turns.ts'

test('[W12.1] what another branch holds is history; what is said on it now is new', async () => {
  await using setup = await setUp()
  const scripted = setup.server.session()
  const turnTo = (branch_id: string, path: object[]) =>
    scripted.emit('session:updated', { branch: { branch_id, path }, updated_at: '2026-01-01T00:00:00Z' })
  await scripted.user('here')
  await turnTo('branch_1', [{ from: 1, to: null }])
  await scripted.user('then')
  await turnTo('main', [
    { from: 0, to: 0 },
    { from: 2, to: null },
  ])
  using session = setup.client.sessions.connect(scripted.id)
  await session.ready()
  const told: string[] = []
  const stop = watchTurns(
    session,
    (turn) => [{ id: turn.turn_id, text: textOf(turn) }],
    ({ text }) => told.push(text),
  )
  await scripted.user('followed')
  await turnTo('branch_1', [
    { from: 1, to: 1 },
    { from: 3, to: null },
  ])
  await until(session, ({ turns, isReady }) => isReady && turns[0]?.sequence === 1)
  await scripted.user('now')
  await vi.waitFor(() => expect(told).toEqual(['followed', 'now']))
  stop()
})
