import { expect, test } from 'vitest'
import {
  confirmationOf,
  decideConfirmation,
  expireConfirmation,
  findConfirmation,
  withdrawConfirmations,
} from '../../src/confirm/confirmations.ts'
import type { JsonObject, JsonValue, Tool } from '../../src/ports.ts'
import { expireDue } from '../../src/runs/expire-confirmations.ts'
import { ask, scriptedTools } from '../loop/scripted.ts'
import { storeCommand } from '../../src/store/commands.ts'
import { choose, clock, dataOf, ids, lastCall, me, Rig, type Told } from './rig.ts'

// What consent is worth: each test is one rule, and fails when that rule is weakened anywhere.

const page = { status: undefined, limit: 50, offset: 0 }
const approve = (question: string) => choose(question, 0)
const bash = (command: string) => ({ name: 'Bash', arguments: { command } })

/** A tool that asks and writes down what it ran with; `change` is what may differ on another instance. */
function risky(change: Partial<Tool> & { denies?: (input: JsonValue) => boolean } = {}) {
  const ran: JsonValue[] = []
  const run = (input: JsonValue) => (ran.push(input), 'ran')
  return { ran, tools: scriptedTools({ Bash: { asks: true, ...change, run }, Write: { run: () => 'wrote' } }) }
}

/** A session in which a call waits for consent. */
async function waiting(rig: Rig, tools = risky().tools, command = 'one') {
  const one = rig.instance({ model: [{ calls: [bash(command)] }, { text: 'Done' }], tools })
  const { session_id, events } = await one.chat('Go')
  const { items } = await one.sessions.confirmations(me, page)
  return { one, session_id, question: lastCall(events), item: items.find((item) => item.session_id === session_id)! }
}

const statusOf = async (rig: Rig, id: string) =>
  (await rig.sql<{ status: string }>('SELECT status FROM confirmations WHERE id = ?', [id]))[0]!.status

test('[digest] consent to a call that means something else by now counts for nothing: it is asked for again', async () => {
  await using rig = await Rig.open()
  const { session_id, question, item } = await waiting(rig)
  // The same call, but its tool fills in a default that was not there when the person was asked.
  const check = (given: JsonValue) => ({ ok: true as const, value: { ...(given as JsonObject), force: true } })
  const { ran, tools } = risky({ check })
  const two = rig.instance({ model: [{ text: 'Done' }], tools })
  const again = await two.events(await two.answer(session_id, approve(question)))
  expect(ran).toEqual([])
  expect(dataOf(again, 'chat:end').session_status).toBe('waiting_for_input')
  const [newer] = (await two.sessions.confirmations(me, { ...page, status: 'pending' })).items
  expect(newer!.digest).not.toBe(item.digest)
  await two.events(await two.answer(session_id, approve(lastCall(again))))
  expect(ran).toEqual([{ command: 'one', force: true }])
})

test('[digest] a decision names what it decides: with another digest it decides nothing', async () => {
  await using rig = await Rig.open()
  const { item } = await waiting(rig)
  const decide = (digest: string) =>
    rig.engine.write(() =>
      decideConfirmation(
        { id: item.id, digest },
        { decision: 'approved', decided_by: me.user_id, edited_arguments: null, decision_reason: null },
      ),
    )
  expect(await decide('another')).toBeUndefined()
  expect(await statusOf(rig, item.id)).toBe('pending')
  expect(await decide(item.digest)).toMatchObject({ status: 'approved' })
})

test('[digest] the claim on record says what was agreed to', async () => {
  await using rig = await Rig.open()
  const { one, session_id, question, item } = await waiting(rig)
  await one.events(await one.answer(session_id, approve(question)))
  const claims = await rig.sql<{ data: string }>("SELECT data FROM events WHERE type = 'run:tool_claim'")
  expect(claims.map(({ data }) => JSON.parse(data) as object)).toMatchObject([{ digest: item.digest }])
})

test('[once] of eight decisions at once, by answer and by address, one wins and the call runs at most once', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = risky()
  const { one, session_id, question, item } = await waiting(rig, tools)
  const tries = Array.from({ length: 8 }, async (_, index) =>
    index % 2 === 0
      ? one.answer(session_id, choose(question, index % 4 === 0 ? 0 : 1))
      : one.sessions.decide(me, item.id, { decision: index % 4 === 1 ? 'approve' : 'reject' }),
  )
  const settled = await Promise.allSettled(tries)
  const lost = settled.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []))
  expect(lost).toHaveLength(7)
  expect(lost.filter((code) => !['already_decided', 'ask_not_pending', 'session_busy'].includes(code))).toEqual([])
  await one.until({ session_id, since: 0 }, ({ data }) => data['session_status'] === 'completed')
  expect(ran).toHaveLength((await statusOf(rig, item.id)) === 'approved' ? 1 : 0)
})

test('[once] what is decided stays decided: no second decision, expiry or withdrawal changes it', async () => {
  await using rig = await Rig.open()
  const { item, session_id } = await waiting(rig)
  await rig.engine.write(() =>
    decideConfirmation(item, {
      decision: 'rejected',
      decided_by: me.user_id,
      edited_arguments: null,
      decision_reason: null,
    }),
  )
  expect(
    await rig.engine.write(() =>
      decideConfirmation(item, {
        decision: 'approved',
        decided_by: me.user_id,
        edited_arguments: null,
        decision_reason: null,
      }),
    ),
  ).toBeUndefined()
  await rig.engine.write(() => withdrawConfirmations(session_id, me.user_id))
  await rig.sql('UPDATE confirmations SET expires_at = 1')
  expect(await rig.engine.write(() => expireConfirmation(item.id))).toBeUndefined()
  expect(await statusOf(rig, item.id)).toBe('rejected')
})

test('[expiry] before its time nobody ends it, after its time nobody decides it', async () => {
  await using rig = await Rig.open()
  const { one, item, session_id, question } = await waiting(rig)
  const minutes = (Date.parse(item.expires_at) - Date.parse(item.created_at)) / 60_000
  expect(Math.round(minutes)).toBe(15)
  expect(await rig.engine.write(() => expireConfirmation(item.id))).toBeUndefined()
  await rig.sql('UPDATE confirmations SET expires_at = 1')
  expect(
    await rig.engine.write(() =>
      decideConfirmation(item, {
        decision: 'approved',
        decided_by: me.user_id,
        edited_arguments: null,
        decision_reason: null,
      }),
    ),
  ).toBeUndefined()
  await expect(one.answer(session_id, approve(question))).rejects.toMatchObject({
    code: 'already_decided',
    details: { decision: 'expired' },
  })
})

test('[expiry] one that cannot be ended keeps no other waiting', async () => {
  await using rig = await Rig.open()
  const first = await waiting(rig)
  const second = await waiting(rig)
  await rig.sql('UPDATE confirmations SET expires_at = CASE WHEN id = ? THEN 1 ELSE 2 END', [first.item.id])
  await rig.sql('DELETE FROM gates WHERE session_id = ?', [first.session_id])
  const { journal } = second.one
  const sweep = expireDue({ engine: rig.engine, clock, ids, journal, tellOwner: () => undefined })
  await expect(sweep).rejects.toThrow('1 confirmations could not be expired')
  expect(await statusOf(rig, second.item.id)).toBe('expired')
})

test('[expiry] edited consent that has grown old while nobody ran it is asked for again', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = risky()
  const { session_id, question } = await waiting(rig, tools)
  const dead = rig.frozenAt('before:C5', { model: [], tools })
  const edited_arguments = { command: 'two' }
  const accepted = await dead.answer(session_id, { ...approve(question), edited_arguments })
  await dead.frozen
  await rig.sql('UPDATE confirmations SET decided_at = decided_at - 1000000')
  const two = rig.instance({ model: [{ text: 'Done' }], tools })
  await rig.takeOver(session_id, two)
  expect(dataOf(await two.events(accepted), 'chat:end').session_status).toBe('waiting_for_input')
  expect(ran).toEqual([])
})

test.each([
  ['ahead of', 3],
  ['behind', -3],
])('[expiry] a clock that is hours %s the store’s does not age consent', async (_, hours) => {
  await using rig = await Rig.open()
  const { ran, tools } = risky()
  const time = { wall: hours * 3_600_000, monotonic: 0 }
  const one = rig.instance({ model: [{ calls: [bash('one')] }, { text: 'Done' }], tools, time })
  const { session_id, events } = await one.chat('Go')
  await one.events(await one.answer(session_id, approve(lastCall(events))))
  expect(ran).toEqual([{ command: 'one' }])
})

test('[order] of two confirmations of one call the newer one counts', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = risky()
  const { session_id, question } = await waiting(rig, tools)
  const first = rig.frozenAt('before:C5', { model: [], tools })
  const accepted = await first.answer(session_id, approve(question))
  await first.frozen
  await rig.sql('UPDATE confirmations SET decided_at = decided_at - 1000000, created_at = created_at - 1000000')
  const second = rig.instance({ model: [], tools })
  await rig.takeOver(session_id, second)
  const again = await second.events(accepted)
  const third = rig.frozenAt('before:C5', { model: [], tools })
  const resumed = await third.answer(session_id, approve(lastCall(again)))
  await third.frozen
  const last = rig.instance({ model: [{ text: 'Done' }], tools })
  await rig.takeOver(session_id, last)
  expect(dataOf(await last.events(resumed), 'chat:end').session_status).toBe('completed')
  expect(ran).toEqual([{ command: 'one' }])
})

test('[order] behind a call that waits all wait, also those that need no consent', async () => {
  await using rig = await Rig.open()
  const order: string[] = []
  const tools = scriptedTools({
    Bash: { asks: true, run: () => String(order.push('Bash')) },
    Write: { run: () => String(order.push('Write')) },
    Read: { readOnly: true, run: () => String(order.push('Read')) },
  })
  const calls = [{ name: 'Write' }, bash('one'), { name: 'Write' }, { name: 'Read' }]
  const one = rig.instance({ model: [{ calls }, { text: 'Done' }], tools })
  const { session_id, events } = await one.chat('Go')
  expect(order.toSorted()).toEqual(['Read', 'Write'])
  await one.events(await one.answer(session_id, approve(lastCall(events))))
  expect(order.slice(2)).toEqual(['Bash', 'Write'])
})

test('[owner] to everybody else a confirmation does not exist: not to find, list, decide or answer', async () => {
  await using rig = await Rig.open()
  const { one, item, session_id, question } = await waiting(rig)
  const stranger = { user_id: 'user_2' }
  expect(await rig.engine.read(() => confirmationOf(stranger.user_id, item.id))).toBeUndefined()
  expect(await one.sessions.confirmations(stranger, page)).toEqual({ items: [], total: 0 })
  await expect(one.sessions.decide(stranger, item.id, { decision: 'approve' })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(one.sessions.stop(stranger, session_id)).rejects.toMatchObject({ code: 'session_not_found' })
  expect(await rig.engine.read(() => findConfirmation('sess_other', question))).toBeUndefined()
  expect(await statusOf(rig, item.id)).toBe('pending')
})

test('[owner] a message in one session withdraws nothing in another', async () => {
  await using rig = await Rig.open()
  const first = await waiting(rig)
  const second = await waiting(rig)
  await second.one.events(await second.one.send(second.session_id, 'Forget it'))
  expect(await statusOf(rig, first.item.id)).toBe('pending')
  expect(await statusOf(rig, second.item.id)).toBe('withdrawn')
})

test('[policy] what was agreed to and is denied by now does not run', async () => {
  await using rig = await Rig.open()
  const { session_id, question } = await waiting(rig)
  const { ran, tools } = risky({ denies: () => true })
  const two = rig.instance({ model: [{ text: 'Done' }], tools })
  await two.events(await two.answer(session_id, approve(question)))
  expect(ran).toEqual([])
  const [call] = (await two.messages(session_id)).flatMap(({ tool_calls }) => tool_calls)
  expect(call).toMatchObject({ status: 'error', result: 'Bash is not allowed.' })
})

test.each<[string, Partial<Tool> & { denies?: (input: JsonValue) => boolean }, JsonObject]>([
  ['does not fit the tool', { check: () => ({ ok: false, message: 'no' }) }, { command: 7 }],
  ['is denied', { denies: () => true }, { command: 'rm -rf /' }],
])('[edit] one that %s is refused, on whatever path, and nothing is decided', async (_, change, edited_arguments) => {
  await using rig = await Rig.open()
  const { session_id, question, item } = await waiting(rig)
  const two = rig.instance({ model: [], tools: risky(change).tools })
  const code = 'invalid_payload'
  await expect(two.answer(session_id, { ...approve(question), edited_arguments })).rejects.toMatchObject({ code })
  const decision = { decision: 'approve', edited_arguments } as const
  await expect(two.sessions.decide(me, item.id, decision)).rejects.toMatchObject({ code })
  expect(await statusOf(rig, item.id)).toBe('pending')
})

test('[edit] of a tool that is gone is refused, and nothing is decided', async () => {
  await using rig = await Rig.open()
  const { session_id, question, item } = await waiting(rig)
  const two = rig.instance({ model: [], tools: scriptedTools({}) })
  const answer = { ...approve(question), edited_arguments: { command: 'two' } }
  await expect(two.answer(session_id, answer)).rejects.toMatchObject({ code: 'invalid_payload' })
  expect(await statusOf(rig, item.id)).toBe('pending')
})

test('[edit] one that fits no more when its time has come does not run', async () => {
  await using rig = await Rig.open()
  const { session_id, question } = await waiting(rig)
  const dead = rig.frozenAt('before:C5', { model: [], tools: risky().tools })
  const accepted = await dead.answer(session_id, { ...approve(question), edited_arguments: { command: 'two' } })
  await dead.frozen
  const { ran, tools } = risky({ check: () => ({ ok: false, message: 'it does not fit' }) })
  const two = rig.instance({ model: [{ text: 'Done' }], tools })
  await rig.takeOver(session_id, two)
  await two.events(accepted)
  expect(ran).toEqual([])
})

test('[edit] a crash after the decision: whoever carries on runs the edit, and nothing else', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = risky()
  const { session_id, question } = await waiting(rig, tools)
  const dead = rig.frozenAt('before:C5', { model: [], tools })
  const accepted = await dead.answer(session_id, { ...approve(question), edited_arguments: { command: 'two' } })
  await dead.frozen
  const two = rig.instance({ model: [{ text: 'Done' }], tools })
  await rig.takeOver(session_id, two)
  await two.events(accepted)
  expect(ran).toEqual([{ command: 'two' }])
})

test('a crash after a rejection: whoever carries on does not run it', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = risky()
  const { session_id, question, item } = await waiting(rig, tools)
  const dead = rig.frozenAt('before:C2a', { model: [], tools })
  const accepted = await dead.answer(session_id, choose(question, 1))
  const two = rig.instance({ model: [{ text: 'As you like' }], tools })
  await rig.takeOver(session_id, two)
  await two.events(accepted)
  expect(ran).toEqual([])
  expect(await statusOf(rig, item.id)).toBe('rejected')
})

test('a consent that is taken back before the call is claimed counts for nothing: it is asked for again', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = risky()
  const { session_id, question } = await waiting(rig, tools)
  const dead = rig.frozenAt('before:C5', { model: [], tools })
  const accepted = await dead.answer(session_id, approve(question))
  await dead.frozen
  await rig.sql("UPDATE confirmations SET status = 'rejected'")
  const two = rig.instance({ model: [{ text: 'Done' }], tools })
  await rig.takeOver(session_id, two)
  expect(dataOf(await two.events(accepted), 'chat:end').session_status).toBe('waiting_for_input')
  expect(ran).toEqual([])
})

test('[once] a call that was begun and never ended is not begun again by the same consent', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = risky()
  const { session_id, question } = await waiting(rig, tools)
  const dead = rig.frozenAt('after:C5', { model: [], tools })
  const accepted = await dead.answer(session_id, approve(question))
  await dead.frozen
  const two = rig.instance({ model: [{ text: 'Done' }], tools })
  await rig.takeOver(session_id, two)
  await two.events(accepted)
  expect(ran).toEqual([])
  const [call] = (await two.messages(session_id)).flatMap(({ tool_calls }) => tool_calls)
  expect(call).toMatchObject({ status: 'error', result: expect.stringContaining('outcome unknown') })
})

test('[once] a question that was answered is not answered again while its turn waits for another', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = risky()
  const one = rig.instance({ model: [{ calls: [bash('one'), bash('two')] }, { text: 'Done' }], tools })
  const { session_id, events } = await one.chat('Go')
  await one.events(await one.answer(session_id, approve(lastCall(events))))
  await expect(one.answer(session_id, approve(lastCall(events)))).rejects.toMatchObject({ code: 'ask_not_pending' })
  expect(ran).toEqual([{ command: 'one' }])
})

test('[once] of eight answers to a question of a run under way one is accepted', async () => {
  await using rig = await Rig.open()
  const slow = Promise.withResolvers<{ result: string }>()
  const tools = scriptedTools({ Slow: { readOnly: true, run: () => slow.promise } })
  const one = rig.instance({ model: [{ calls: [ask(), { name: 'Slow' }] }, { text: 'Done' }], tools })
  const { id } = await one.create()
  const accepted = await one.send(id, 'Go')
  const shown = await one.until(accepted, ({ data }) => data['patch_type'] === 'add_tool_call')
  const answers = Array.from({ length: 8 }, (_, index) => one.answer(id, choose(lastCall(shown), index % 2)))
  const settled = await Promise.allSettled(answers)
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  slow.resolve({ result: 'slow' })
  await one.events(accepted)
})

test('an ordinary message withdraws in the transaction that accepts it, before anything of it runs', async () => {
  await using rig = await Rig.open()
  const { item, session_id } = await waiting(rig)
  const dead = rig.frozenAt('before:C2b', { model: [{ text: 'Sure' }], tools: risky().tools })
  await dead.send(session_id, 'Forget it')
  expect(await statusOf(rig, item.id)).toBe('withdrawn')
})

test.each([
  ['both options', { '0': [0, 1] }],
  ['the option that agrees, twice', { '0': [0, 0] }],
  ['an option that does not exist', { '0': [2] }],
  ['nothing', {}],
  ['an answer to another question', { '0': [0], '1': [0] }],
])('an answer of %s decides nothing', async (_, selections) => {
  await using rig = await Rig.open()
  const { one, session_id, question, item } = await waiting(rig)
  await expect(one.answer(session_id, { ...approve(question), selections })).rejects.toMatchObject({
    code: 'invalid_answer',
  })
  expect(await statusOf(rig, item.id)).toBe('pending')
})

test('a decision by its address means what it says', async () => {
  await using rig = await Rig.open()
  const { ran, tools } = risky()
  const { one, session_id, item } = await waiting(rig, tools)
  expect(await one.sessions.decide(me, item.id, { decision: 'reject' })).toMatchObject({ status: 'rejected' })
  await one.until({ session_id, since: 0 }, ({ data }) => data['session_status'] === 'completed')
  expect(ran).toEqual([])
})

test('[once] an expiry that comes after the answer changes nothing', async () => {
  await using rig = await Rig.open()
  const slow = Promise.withResolvers<{ result: string }>()
  const ran: JsonValue[] = []
  const tools = scriptedTools({
    Bash: { asks: true, run: (input) => (ran.push(input), 'ran') },
    Slow: { readOnly: true, run: () => slow.promise },
  })
  const one = rig.instance({ model: [{ calls: [bash('one'), { name: 'Slow' }] }, { text: 'Done' }], tools })
  const { id } = await one.create()
  const accepted = await one.send(id, 'Go')
  const shown = await one.until(accepted, ({ data }) => JSON.stringify(data).includes('confirmation'))
  await one.answer(id, approve(lastCall(shown)))
  const isDone = ({ data }: Told) =>
    data['patch_type'] === 'tool_result' && (data['data'] as { result: JsonValue }).result === 'ran'
  await one.until(accepted, isDone)
  const data = JSON.stringify({ question_id: lastCall(shown), tool_call_id: lastCall(shown, 'Bash') })
  await rig.engine.write(() => storeCommand({ session_id: id, id: 'expire:late', kind: 'expire', data }))
  one.runs.nudge(id)
  slow.resolve({ result: 'slow' })
  await one.events(accepted)
  const [call] = (await one.messages(id)).flatMap(({ tool_calls }) => tool_calls)
  expect([call!.status, call!.result, ran.length]).toEqual(['done', 'ran', 1])
})

test('[headless] nothing is announced as waiting, and nothing runs behind the call that ended the run', async () => {
  await using rig = await Rig.open()
  const order: string[] = []
  const tools = scriptedTools({
    Bash: { asks: true, run: () => String(order.push('Bash')) },
    Write: { run: () => String(order.push('Write')) },
  })
  const one = rig.instance({ model: [{ calls: [bash('one'), { name: 'Write' }] }], tools })
  const { session_id, events } = await one.chat('Go', { headless: true })
  expect(order).toEqual([])
  expect(JSON.stringify(events)).not.toContain('awaiting_answer')
  const calls = (await one.messages(session_id)).flatMap(({ tool_calls }) => tool_calls)
  expect(calls.map(({ status }) => status)).toEqual(['error', 'cancelled'])
})

test('everything that is decided, and by whom, is in the audit log', async () => {
  await using rig = await Rig.open()
  const approved = await waiting(rig)
  await approved.one.events(await approved.one.answer(approved.session_id, approve(approved.question)))
  const rejected = await waiting(rig)
  await rejected.one.events(await rejected.one.answer(rejected.session_id, choose(rejected.question, 1)))
  const rows = await rig.sql<{ actor: string; action: string; subject: string }>(
    "SELECT actor, action, subject FROM audit WHERE action LIKE 'confirmation.%' ORDER BY id",
  )
  expect(rows.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
    [me.user_id, 'confirmation.request', approved.item.id],
    [me.user_id, 'confirmation.approve', approved.item.id],
    [me.user_id, 'confirmation.request', rejected.item.id],
    [me.user_id, 'confirmation.reject', rejected.item.id],
  ])
})
