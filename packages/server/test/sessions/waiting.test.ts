import { expect, test } from 'vitest'
import { expireDue } from '../../src/runs/expire-confirmations.ts'
import { scriptedTools } from '../loop/scripted.ts'
import { clock, ids, type Instance, Rig } from './rig.ts'

const MINUTE_MS = 60_000

/** What may come instead of an answer. */
const INSTEAD: Record<string, (one: Instance, session_id: string, rig: Rig) => Promise<unknown>> = {
  'a stop': (one, session_id) => one.stop(session_id),
  'a new message': async (one, session_id) => one.events(await one.send(session_id, 'Never mind')),
  'the end of its time': async ({ journal }, _session_id, rig) => {
    await rig.sql('UPDATE confirmations SET expires_at = 1')
    await expireDue({ engine: rig.engine, clock, ids, journal, tellOwner: () => undefined })
  },
}

test.each(Object.entries(INSTEAD))('a run that waited ends when %s comes instead of an answer', async (_what, come) => {
  await using rig = await Rig.open()
  const tools = scriptedTools({ Bash: { asks: true, run: () => 'ran' } })
  const one = rig.instance({ model: [{ calls: [{ name: 'Bash' }] }, { text: 'Well' }], tools })
  const { session_id, run_id } = await one.chat('Clean up', { runtime_env: { TOKEN: 'secret' } })
  await rig.sql('UPDATE runs SET ended_at = ended_at - ? WHERE id = ?', [MINUTE_MS, run_id])
  const waited = await row(rig, run_id)
  expect(waited).toMatchObject({ status: 'waiting', secrets: expect.stringContaining('TOKEN') })

  const before = Date.now()
  await come(one, session_id, rig)
  const ended = await row(rig, run_id)
  expect(ended).toMatchObject({ status: 'ended', secrets: null })
  expect(ended.ended_at).toBeGreaterThanOrEqual(before)
})

async function row(rig: Rig, run_id: string) {
  const [found] = await rig.sql<{ status: string; secrets: string | null; ended_at: number }>(
    'SELECT status, secrets, ended_at FROM runs WHERE id = ?',
    [run_id],
  )
  return found!
}
