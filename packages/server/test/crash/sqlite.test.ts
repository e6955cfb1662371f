import { textOf } from '@parley/protocol'
import { expect, test } from 'vitest'
import type { Point } from '../../src/runs/points.ts'
import type { NodeProcess } from '@parley/testkit'
import { type Arena, freePort, openArena, watch } from './arena.ts'
import { checkEnd, checkOwners, checkWork, nameOf, POINTS, ROUNDS } from './checks.ts'
import { FINAL } from './conversation.ts'

test('[D3] killed at every commit point, the run goes on by itself after a restart', { timeout: 900_000 }, async () => {
  await using arena = await openArena('sqlite')
  const port = await freePort()
  for (const [kill, nth] of POINTS) {
    const message = `work ${kill} ${nth}`
    const server = await arena.start({ port, kill, nth })
    await using _next = await surviveOnce({ arena, server, port }, message, () => server.exited)
  }
})

test(
  `[D3] killed at ${ROUNDS} random moments, nothing accepted is lost and nothing is done twice`,
  { timeout: 900_000 + ROUNDS * 5_000 },
  async () => {
    await using arena = await openArena('sqlite')
    const port = await freePort()
    let server = await arena.start({ port })
    for (let round = 0; round < ROUNDS; round++)
      server = await surviveOnce({ arena, server, port }, `work ${round}`, async () => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 350))
        server.signal('SIGKILL')
      })
  },
)

/** Where a conversation with sub-agents three levels deep, one of which asks, loses its server. */
const FORK_POINTS: [Point, number][] = [
  ['after:C4', 1],
  ['after:C2b', 3],
  ['after:C4', 3],
  ['after:C6', 1],
  ['before:C9', 1],
]

test(
  '[D3] sub-agents keep their loops, their questions and their results through a restart',
  { timeout: 900_000 },
  async () => {
    await using arena = await openArena('sqlite')
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    for (const [kill, nth] of FORK_POINTS) {
      const server = await arena.start({ port, kill, nth })
      const session_id = await arena.newSession(url)
      using witness = watch(() => url, session_id)
      const sent = witness.send({ message: 'fork', client_message_id: 'm1' })
      expect(await server.exited).toBe('SIGKILL')
      await using _next = await arena.start({ port })
      await sent
      await witness.until(({ pending_question }) => pending_question !== null)
      const { tool_call_id } = witness.projection.pending_question!
      await witness.send({ message: '', askuser_answer: { tool_call_id, selections: { '0': [0] }, custom: {} } })
      await witness.until(({ status }) => status === 'completed')
      await checkEnd(witness)
      const turns = await witness.messages()
      expect(textOf(turns.at(-1)!), `${kill} ${nth}`).toBe(FINAL)
      expect(new Set(turns.map(({ loop_id }) => loop_id)).size, 'the main agent and three sub-agents').toBe(4)
    }
  },
)

/** One conversation through the death of its server; returns the server that came after. */
async function surviveOnce(
  { arena, server, port }: { arena: Arena; server: NodeProcess; port: number },
  message: string,
  death: () => Promise<unknown>,
): Promise<NodeProcess> {
  const url = `http://127.0.0.1:${port}`
  const session_id = await arena.newSession(url)
  using witness = watch(() => url, session_id)
  const sent = witness.send({ message, client_message_id: 'm1' })
  await death()
  expect(await server.exited, message).toBe('SIGKILL')
  const next = await arena.start({ port })
  await sent
  await checkWork(witness, arena, message)
  const owners = await checkOwners(url, session_id)
  const servers = [server, next].map(nameOf)
  for (const { instance } of owners) expect(servers).toContain(instance)
  return next
}
