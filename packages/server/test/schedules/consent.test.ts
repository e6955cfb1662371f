import type { Confirmation } from '@parley/protocol'
import type { ScheduledTask, ScheduledTaskRun } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { askDatabase } from '../wire/beside.ts'
import { sharedWorld, STORES } from '../wire/world.ts'
import { makeTask, PATIENCE, runsOf, endedRuns, TASKS } from './tasks.ts'

const rules = [
  { tool: 'Bash', arguments: { command: 'never *' }, decision: 'deny' as const },
  { tool: 'Bash', decision: 'ask' as const },
]
const bash = (command: string) => ({ name: 'Bash', arguments: { command } })

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store, { policy: { rules, headless: 'fail', confirmationMinutes: 15 } })
  const start = async ({ id }: ScheduledTask) =>
    (await world().rest<ScheduledTaskRun>('POST', `${TASKS}/${id}/run`)).body
  const callsOf = async (session_id: string) =>
    (await world().messages(session_id)).flatMap(({ tool_calls }) => tool_calls)

  test('[D5] with skip_confirmations what would ask runs, nobody is asked, and what is denied stays denied', async () => {
    const prompt = 'Clean up unattended'
    world().learn({ [prompt]: [{ calls: [bash('rm old'), bash('never this')] }, { text: 'Clean.' }] })
    const task = await makeTask(world(), { prompt, skip_confirmations: true })
    const { session_id } = await start(task)
    expect(await endedRuns(world(), task.id, 1)).toMatchObject([{ fate: 'ran' }])
    expect((await callsOf(session_id)).map(({ status }) => status)).toEqual(['done', 'error'])
    const offered = world().requests(prompt)[0]!.tools
    expect(JSON.stringify(offered)).not.toContain('AskUserQuestion')
    expect((await world().rest<{ total: number }>('GET', '/api/confirmations')).body.total).toBe(0)
  })

  test('[D5] a run under way that was agreed to is carried on by no server that would not know it', async () => {
    const gate = `agreed ${store}`
    const prompt = 'Wait unattended'
    world().learn({ [prompt]: [{ calls: [{ name: 'Look', arguments: { name: gate } }] }, { text: 'Clean.' }] })
    const task = await makeTask(world(), { prompt, skip_confirmations: true })
    const { session_id } = await start(task)
    await world().gates.reached(gate)
    const rows = await askDatabase(world(), `SELECT format FROM runs WHERE session_id = '${session_id}'`)
    expect(rows.map(({ format }) => Number(format))).toEqual([5])
    world().gates.open(gate)
    await endedRuns(world(), task.id, 1)
  })

  test('[D5] without it the run asks, waits, and goes on with what was decided', async () => {
    const prompt = 'Clean up with me'
    world().learn({ [prompt]: [{ calls: [bash('rm older')] }, { text: 'Clean.' }] })
    const task = await makeTask(world(), { prompt })
    const { session_id } = await start(task)
    await expect.poll(async () => (await world().session(session_id)).status, PATIENCE).toBe('waiting_for_input')
    expect(await runsOf(world(), task.id)).toMatchObject([{ status: 'running', fate: null }])
    const { body } = await world().rest<{ items: Confirmation[] }>('GET', '/api/confirmations?status=pending')
    const { id } = body.items.find((item) => item.session_id === session_id)!
    await world().rest('POST', `/api/confirmations/${id}`, { body: { decision: 'approve' } })
    expect(await endedRuns(world(), task.id, 1)).toMatchObject([{ fate: 'ran', session_id }])
    expect((await callsOf(session_id))[0]).toMatchObject({ status: 'done', result: 'total 48\nran rm older' })
  })

  test('[D5] a prompt that was changed has no consent: the next run asks', async () => {
    const prompt = 'Clean up, changed'
    world().learn({ [prompt]: [{ calls: [bash('rm all')] }, { text: 'Clean.' }] })
    const task = await makeTask(world(), { prompt: 'Clean up, as agreed', skip_confirmations: true })
    await world().rest('PATCH', `${TASKS}/${task.id}`, { body: { prompt } })
    const { session_id } = await start(task)
    await expect.poll(async () => (await world().session(session_id)).status, PATIENCE).toBe('waiting_for_input')
    await world().rest('POST', `/api/sessions/${session_id}/chat`, { body: { message: 'Never mind' } })
    await askDatabase(world(), `UPDATE schedules SET prompt = 'Forged', skip_confirmations = 1 WHERE id = '${task.id}'`)
    world().learn({ Forged: [{ calls: [bash('rm all')] }, { text: 'Clean.' }] })
    const forged = await start(task)
    await expect.poll(async () => (await world().session(forged.session_id)).status, PATIENCE).toBe('waiting_for_input')
  })
})
