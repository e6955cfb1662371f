import { describe, expect, test } from 'vitest'
import { scriptedTools } from '../loop/scripted.ts'
import { type Place, places } from '../store/place.ts'
import { dataOf, type Instance, me, Rig } from './rig.ts'

const deep = '['.repeat(6_000) + ']'.repeat(6_000)

/** Ways in which a row may be of no use to anybody. */
const DAMAGE = { 'broken off': '{"turn_id":"tu', empty: '', 'another thing': '[7,null]', hollow: '{"a":{}}', deep }

const ACTIVE = "(SELECT id FROM runs r WHERE r.status = 'active' AND r.session_id = $)"

/** Where it may lie; `$` is the session. `goesOn`: the run can be carried on all the same. */
const PLANTED: { where: string; sql: string; goesOn?: true; isText?: true }[] = [
  { where: 'its options', sql: `UPDATE runs SET options = ? WHERE id = ${ACTIVE}` },
  { where: 'its needs', sql: `UPDATE runs SET needs = ? WHERE id = ${ACTIVE}` },
  { where: 'its own message', sql: `UPDATE turns SET projection = ? WHERE run_id = ${ACTIVE}` },
  { where: 'its answer', sql: `UPDATE events SET data = ? WHERE type = 'run:answer' AND run_id = ${ACTIVE}` },
  { where: 'its patches', sql: `UPDATE events SET data = ? WHERE type = 'turn:patch' AND run_id = ${ACTIVE}` },
  { where: 'all of its events', sql: `UPDATE events SET data = ? WHERE run_id = ${ACTIVE}` },
  {
    where: 'an earlier turn',
    sql: `UPDATE turns SET projection = ? WHERE session_id = $ AND run_id <> ${ACTIVE}`,
    goesOn: true,
  },
  {
    where: 'what an earlier turn keeps for the model',
    sql: `UPDATE turns SET messages = ? WHERE session_id = $ AND run_id <> ${ACTIVE}`,
    goesOn: true,
  },
  {
    where: 'something asked of it',
    sql: "INSERT INTO commands (session_id, id, kind, data, at) VALUES ($, 'bad', 'answer', ?, 1)",
    goesOn: true,
  },
]

const CASES = PLANTED.flatMap((planted) => Object.entries(DAMAGE).map(([what, text]) => ({ ...planted, what, text })))

describe.each(places)('%s', (_, makePlace) => {
  test.each(CASES)('$what in $where: history answers, a stop ends the run, deleting works', async (planted) => {
    await using rig = await openRig(await makePlace())
    const { two, session_id } = await begun(rig)
    await plant(rig, session_id, planted)
    expect(await two.messages(session_id)).toEqual(expect.any(Array))
    await two.sessions.detail(me, session_id)
    expect(await two.stop(session_id)).toBe(true)
    expect(dataOf(await endOf(rig, session_id, two), 'chat:end')).toMatchObject({ status: 'interrupted' })
    const turns = await two.messages(session_id)
    expect(turns.filter(({ status }) => status === 'streaming')).toEqual([])
    await two.sessions.delete(me, session_id)
    await expect(two.sessions.get(me, session_id)).rejects.toThrow(/no session/)
  })

  test.each(CASES)(
    '$what in $where: the run goes on or is given up, so does its neighbour, and the next one works',
    async (planted) => {
      await using rig = await openRig(await makePlace())
      const { two, session_id } = await begun(rig)
      const neighbour = await begun(rig)
      await plant(rig, session_id, planted)
      const head = await headOf(rig, neighbour.session_id)
      await rig.sql('UPDATE gates SET owner = NULL, lease_until = 0 WHERE session_id = ?', [neighbour.session_id])
      const end = dataOf(await endOf(rig, session_id, two), 'chat:end')
      if (planted.goesOn) expect(end).toMatchObject({ status: 'completed' })
      else expect(end).toMatchObject({ status: 'failed', error: { code: 'recovery_failed' } })
      const others = await two.events({ session_id: neighbour.session_id, since: head })
      expect(dataOf(others, 'chat:end')).toMatchObject({ status: 'completed' })
      expect(dataOf(await two.events(await two.send(session_id, 'Next')), 'chat:end')).toMatchObject({
        status: 'completed',
      })
    },
  )

  test.each([true, false])(
    'damage that nobody thought of ends the run unread; stopped before: %s',
    async (isStopped) => {
      await using rig = await openRig(await makePlace())
      const { two, session_id } = await begun(rig)
      if (isStopped) await two.stop(session_id)
      await rig.sql('DELETE FROM sessions WHERE id = ?', [session_id])
      const { status, error } = dataOf(await endOf(rig, session_id, two), 'chat:end')
      expect({ status, code: error?.code }).toEqual(
        isStopped ? { status: 'interrupted' } : { status: 'failed', code: 'internal_error' },
      )
      expect(await rig.sql("SELECT 1 FROM runs WHERE session_id = ? AND status <> 'ended'", [session_id])).toEqual([])
      const failed = await rig.sql<{ sequence: number }>(
        "SELECT sequence FROM turns WHERE session_id = ? AND status = 'failed'",
        [session_id],
      )
      // Behind the turn that stays open.
      expect(failed).toEqual(isStopped ? [] : [{ sequence: 4 }])
    },
  )

  test('a paused turn that cannot be read is withdrawn by a stop, and by a new message', async () => {
    for (const ends of ['stop', 'message']) {
      await using rig = await openRig(await makePlace())
      const one = rig.instance({
        model: [{ calls: [{ name: 'AskUserQuestion', arguments: QUESTION }] }, { text: 'Ok' }],
      })
      const { session_id } = await one.chat('Ask me')
      await rig.sql("UPDATE turns SET projection = ? WHERE session_id = ? AND status = 'paused'", ['{', session_id])
      expect((await one.sessions.detail(me, session_id)).pending_question).toBeNull()
      expect((await one.messages(session_id)).at(-1)).toMatchObject({ role: 'system', failure_reason: 'unreadable' })
      if (ends === 'stop') expect(await one.stop(session_id)).toBe(true)
      else await one.events(await one.send(session_id, 'Never mind'))
      expect((await one.sessions.get(me, session_id)).status).toBe(ends === 'stop' ? 'interrupted' : 'completed')
      expect(await rig.sql("SELECT 1 FROM turns WHERE session_id = ? AND status = 'paused'", [session_id])).toEqual([])
    }
  })
})

const QUESTION = { questions: [{ question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] }] }

async function openRig(place: Place): Promise<Rig> {
  const rig = new Rig('', await place.open())
  const close = rig[Symbol.asyncDispose].bind(rig)
  rig[Symbol.asyncDispose] = async () => {
    await close()
    await place[Symbol.asyncDispose]()
  }
  return rig
}

/** A session with one run behind it, and one whose owner was lost in the middle of a tool. */
async function begun(rig: Rig): Promise<{ two: Instance; session_id: string }> {
  const tools = scriptedTools({ Bash: { replay: 'safe', run: () => 'ran' } })
  const thinking = { thinking: 'Hm', text: 'First' }
  const dead = rig.frozenAt('after:C5', { model: [thinking, { text: 'Well', calls: [{ name: 'Bash' }] }], tools })
  const { session_id } = await dead.chat('Before')
  await dead.send(session_id, 'Hello')
  await dead.frozen
  const two = rig.instance({ model: () => ({ text: 'Done' }), tools })
  return { two, session_id }
}

async function plant(rig: Rig, session_id: string, { sql, text }: { sql: string; text: string }): Promise<void> {
  const parameters = [...sql.matchAll(/[?$]/g)].map(([mark]) => (mark === '?' ? text : session_id))
  await rig.sql(sql.replaceAll('$', '?'), parameters)
}

async function headOf(rig: Rig, session_id: string): Promise<number> {
  const [gate] = await rig.sql<{ head: number }>('SELECT head FROM gates WHERE session_id = ?', [session_id])
  return gate!.head
}

/** What one take-over tells, up to the run's end. */
async function endOf(rig: Rig, session_id: string, by: Instance) {
  const since = await headOf(rig, session_id)
  await rig.takeOver(session_id, by)
  return by.events({ session_id, since })
}
