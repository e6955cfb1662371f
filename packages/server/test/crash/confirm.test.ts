import type { Confirmation } from '@parley/protocol'
import { expect, test } from 'vitest'
import type { Point } from '../../src/runs/points.ts'
import { freePort, KEY, openArena, watch } from './arena.ts'
import { checkEnd } from './checks.ts'

const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

/** Where a server dies that has a risky call, and how often it had been there. */
const POINTS: [Point, number][] = [
  ['before:C7', 1],
  ['after:C7', 1],
  ['before:C8', 1],
  ['after:C8', 1],
  ['before:C5', 1],
  ['after:C5', 1],
  ['before:C6', 1],
  ['after:C6', 1],
]

test(
  'killed around consent, a risky call is asked for once, and run at most once, as approved',
  { timeout: 900_000 },
  async () => {
    await using arena = await openArena('sqlite')
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    for (const [kill, nth] of POINTS) {
      const mark = `risky ${kill}`
      const victim = await arena.start({ port, kill, nth })
      const session_id = await arena.newSession(url)
      using witness = watch(() => url, session_id)
      const died = victim.exited
      void witness.send({ message: mark, client_message_id: 'm1' }).catch(() => undefined)
      if (kill !== 'before:C7' && kill !== 'after:C7') {
        await witness.until(({ pending_question }) => pending_question !== null)
        await approve(url, session_id).catch(() => undefined)
      }
      expect(await died).toBe('SIGKILL')
      await using _next = await arena.start({ port })
      await witness.until(({ pending_question, status }) => pending_question !== null || status === 'completed')
      // Whoever got no answer asks again; a decision that was stored is told, not taken twice.
      const again = await approve(url, session_id)
      expect([200, 409]).toContain(again)
      await witness.until(({ status, run_id }) => status === 'completed' && run_id === null)
      await checkEnd(witness)
      const call = (await witness.messages())
        .flatMap(({ tool_calls }) => tool_calls)
        .find(({ tool_name }) => tool_name === 'Risky')!
      const times = arena.marks().get(mark) ?? 0
      expect(times, mark).toBeLessThanOrEqual(1)
      if (call.status === 'done') expect(times, mark).toBe(1)
      else expect(call, mark).toMatchObject({ status: 'error', result: expect.stringContaining('outcome unknown') })
      expect((await confirmations(url, session_id)).map(({ status }) => status)).toEqual(['approved'])
    }
  },
)

async function confirmations(url: string, session_id: string): Promise<Confirmation[]> {
  const reply = await fetch(`${url}/api/confirmations`, { headers })
  const { items } = (await reply.json()) as { items: Confirmation[] }
  return items.filter((item) => item.session_id === session_id)
}

/** The status of the reply. */
async function approve(url: string, session_id: string): Promise<number> {
  const [item] = await confirmations(url, session_id)
  const body = JSON.stringify({ decision: 'approve' })
  const reply = await fetch(`${url}/api/confirmations/${item!.id}`, { method: 'POST', headers, body })
  await reply.arrayBuffer()
  return reply.status
}
