import type { NodeProcess } from '@parley/testkit'
import { expect, test } from 'vitest'
import { type Arena, freePort, LEASE_MS, openArena, watch } from './arena.ts'
import { checkEnd, checkOwners, checkWork, isBesideRun, nameOf, type Owner, POINTS, TAKEOVER_ROUNDS } from './checks.ts'
import { FINAL } from './conversation.ts'

test('[D3] killed at every commit point, another instance carries the run on', { timeout: 900_000 }, async () => {
  await using arena = await openArena('postgres')
  const survivor = await startServer(arena)
  for (const [kill, nth] of POINTS) {
    const victim = await startServer(arena, { kill, nth })
    const owners = await takenOver({ arena, victim, survivor }, `work ${kill} ${nth}`, () => victim.server.exited)
    const names = owners.map(({ instance }) => instance)
    // A busy one may lose its lease, and take its own run over.
    const [first, last] = [victim, survivor].map(({ server }) => nameOf(server))
    if (!isBesideRun(kill)) expect([names[0], names.at(-1)], kill).toEqual([first, last])
  }
})

test(
  `[D3] killed at ${TAKEOVER_ROUNDS} random moments, another instance carries the run on`,
  { timeout: 900_000 + TAKEOVER_ROUNDS * 12_000 },
  async () => {
    await using arena = await openArena('postgres')
    const survivor = await startServer(arena)
    for (let round = 0; round < TAKEOVER_ROUNDS; round++) {
      const victim = await startServer(arena)
      await takenOver({ arena, victim, survivor }, `work ${round}`, async () => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 350))
        victim.server.signal('SIGKILL')
      })
    }
  },
)

test(
  '[D3] an owner frozen past its lease is fenced when it wakes, and its run has gone on elsewhere',
  { timeout: 900_000 },
  async () => {
    await using arena = await openArena('postgres')
    const survivor = await startServer(arena)
    const frozen = await startServer(arena)
    const session_id = await arena.newSession(frozen.url)
    using witness = watch(() => survivor.url, session_id)
    using sender = watch(() => frozen.url, session_id)
    await sender.send({ message: 'work frozen', client_message_id: 'm1' })
    await witness.until(({ turns }) => turns.length > 1)
    frozen.server.signal('SIGSTOP')
    await checkWork(witness, arena, 'work frozen')
    const before = await witness.messages()
    frozen.server.signal('SIGCONT')
    // It answers again, and has changed nothing.
    expect((await fetch(`${frozen.url}/api/health`)).status).toBe(200)
    await sender.until(({ status }) => status === 'completed')
    expect(await witness.messages()).toEqual(before)
  },
)

test(
  '[D3] a fork three levels deep with one waiting child survives its server, and is answered on another',
  { timeout: 900_000 },
  async () => {
    await using arena = await openArena('postgres')
    const survivor = await startServer(arena)
    // Killed while the flat sub-agent's result is stored: the deep one waits already, or is about to.
    const victim = await startServer(arena, { kill: 'after:C6', nth: 1 })
    const session_id = await arena.newSession(victim.url)
    using witness = watch(() => survivor.url, session_id)
    using sender = watch(() => victim.url, session_id)
    const sent = sender.send({ message: 'fork', client_message_id: 'm1' }).catch(() => undefined)
    expect(await victim.server.exited).toBe('SIGKILL')
    await sent
    await witness.until(({ pending_question }) => pending_question !== null, LEASE_MS + 10_000)
    const { tool_call_id } = witness.projection.pending_question!
    await witness.send({ message: '', askuser_answer: { tool_call_id, selections: { '0': [0] }, custom: {} } })
    await witness.until(({ status }) => status === 'completed')
    await checkEnd(witness)
    expect(
      (await witness.messages())
        .at(-1)!
        .blocks.map(({ content }) => content)
        .join(''),
    ).toBe(FINAL)
  },
)

type Instance = { server: NodeProcess; url: string }

async function startServer(arena: Arena, death: Omit<Parameters<Arena['start']>[0], 'port'> = {}): Promise<Instance> {
  const port = await freePort()
  return { server: await arena.start({ port, ...death }), url: `http://127.0.0.1:${port}` }
}

async function takenOver(
  { arena, victim, survivor }: { arena: Arena; victim: Instance; survivor: Instance },
  message: string,
  death: () => Promise<unknown>,
): Promise<Owner[]> {
  const session_id = await arena.newSession(victim.url)
  using witness = watch(() => survivor.url, session_id)
  using sender = watch(() => victim.url, session_id)
  const command = { message, client_message_id: 'm1' }
  const sent = sender.send(command).catch(() => undefined)
  await death()
  expect(await victim.server.exited, message).toBe('SIGKILL')
  sender[Symbol.dispose]()
  // Whoever heard no acknowledgement says it again, to whoever is there.
  await Promise.race([sent, witness.send(command)])
  await checkWork(witness, arena, message)
  return checkOwners(survivor.url, session_id)
}
