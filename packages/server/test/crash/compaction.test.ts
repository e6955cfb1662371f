import type { FakeChoice, NodeProcess } from '@parley/testkit'
import { expect, test } from 'vitest'
import type { Point } from '../../src/runs/points.ts'
import { freePort, KEY, openArena, watch } from './arena.ts'
import { checkEnd } from './checks.ts'

const LONG = 'word '.repeat(60)
const POINTS: Point[] = ['before:C10', 'after:C10', 'before:C11', 'after:C11', 'before:C9', 'after:C9']

const model: FakeChoice = ({ question }) =>
  question.includes('<record>') ? { text: 'They talked of words.' } : { text: `Heard. ${LONG}` }

test.each(['sqlite', 'postgres'] as const)(
  '[W10.11] [D3] on %s, killed at every step of a compaction, it is done once, and the message that waited is answered',
  { timeout: 300_000 },
  async (kind) => {
    await using arena = await openArena(kind, model)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    let server: NodeProcess = await arena.start({ port })
    for (const kill of POINTS) {
      const session_id = await arena.newSession(url)
      using witness = watch(() => url, session_id)
      for (const nth of ['one', 'two', 'three']) {
        const { run_id } = await witness.send({ message: `${nth} ${LONG}` })
        await witness.until((projection) => projection.run_id === null && hasEnded(projection.turns, run_id))
      }
      arena.order(port, { kill })
      const died = server.exited
      const headers = { authorization: `Bearer ${KEY}` }
      void fetch(`${url}/api/sessions/${session_id}/compact`, { method: 'POST', headers }).catch(() => undefined)
      expect(await died, kill).toBe('SIGKILL')
      server = await arena.start({ port })
      const sent = await witness.send({ message: 'four', client_message_id: 'm4' })
      await witness.until((projection) => projection.run_id === null && hasEnded(projection.turns, sent.run_id))
      await witness.until(({ turns }) => turns.some(isCompacted))
      await checkEnd(witness)
      const turns = await witness.messages()
      expect(turns.filter(isCompacted), kill).toHaveLength(1)
      const failed = turns.filter(({ kind: its, status }) => its === 'compaction' && status === 'failed')
      expect(
        failed.map(({ failure_reason }) => failure_reason),
        kill,
      ).toEqual(kill === 'after:C10' || kill === 'before:C11' ? ['server_stopped'] : [])
      expect(turns.filter(({ client_message_id }) => client_message_id === 'm4')).toHaveLength(1)
      expect(turns.filter(({ archived }) => archived).length, kill).toBeGreaterThanOrEqual(4)
    }
  },
)

type Turns = Awaited<ReturnType<ReturnType<typeof watch>['messages']>>

function isCompacted({ kind, status }: Turns[number]): boolean {
  return kind === 'compaction' && status === 'completed'
}

function hasEnded(turns: readonly Turns[number][], run_id: string): boolean {
  return turns.some((turn) => turn.run_id === run_id && turn.role === 'assistant' && turn.status === 'completed')
}
