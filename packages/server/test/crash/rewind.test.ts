import type { Checkpoint } from '@parley/protocol/rest'
import type { FakeChoice } from '@parley/testkit'
import { expect, test } from 'vitest'
import type { Point } from '../../src/runs/points.ts'
import { type Arena, freePort, KEY, openArena, watch } from './arena.ts'
import { checkEnd } from './checks.ts'
import type { Witness } from './witness.ts'

const PATIENCE_MS = 90_000
const env = { PARLEY_LEASE_MS: '4000' }

const model: FakeChoice = ({ question, results }) =>
  results.length > 0 || question === 'last'
    ? { text: 'Done.' }
    : { calls: [{ name: 'Write', arguments: { file_path: 'a.txt', content: question } }] }

// Before the files, with the files put back, and with everything done: begun again, or over.
test.each([
  ['sqlite', 'before:C12'],
  ['sqlite', 'after:C12'],
  ['sqlite', 'after:C9'],
  ['postgres', 'after:C12'],
] as [Arena['kind'], Point][])(
  '[W12.1] [D3] on %s, killed at %s of a rewind, conversation and files are back, both, and both can be had again',
  { timeout: 300_000 },
  async (kind, kill) => {
    await using arena = await openArena(kind, model)
    const ports = [await freePort(), await freePort()]
    const url = (index: number) => `http://127.0.0.1:${ports[index]}`
    const first = await arena.start({ port: ports[0]!, env })
    const isAlone = kind === 'sqlite'
    if (!isAlone) await arena.start({ port: ports[1]!, env })
    const there = () => url(isAlone ? 0 : 1)
    const session_id = await arena.newSession(url(0))
    using witness = watch(there, session_id)
    for (const message of ['one', 'two']) await answered(witness, await witness.send({ message }))
    const get = async (path: string) =>
      fetch(`${there()}/api/sessions/${session_id}/${path}`, { headers: { authorization: `Bearer ${KEY}` } })
    const post = (at: string, path: string, checkpoint_id: string) =>
      fetch(`${at}/api/sessions/${session_id}/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ checkpoint_id }),
      })
    const [, second] = (await (await get('checkpoints')).json()) as Checkpoint[]
    arena.order(ports[0]!, { kill })
    const died = first.exited
    void post(url(0), 'rewind', second!.checkpoint_id).catch(() => undefined)
    expect(await died).toBe('SIGKILL')
    if (isAlone) await arena.start({ port: ports[0]!, env })
    await witness.until(({ turns }) => turns.some(({ deprecated }) => deprecated), PATIENCE_MS)
    expect((await witness.messages()).map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant'])
    expect(await (await get('files/a.txt')).text()).toBe('one')
    const back = await post(there(), 'switch-branch', second!.checkpoint_id)
    expect(await back.json()).toMatchObject({ branch_id: 'main', turns: 6, files_restored: true })
    expect(await (await get('files/a.txt')).text()).toBe('two')
    await answered(witness, await witness.send({ message: 'last' }))
    await checkEnd(witness)
  },
)

type Turn = Awaited<ReturnType<Witness['messages']>>[number]

async function answered(witness: Witness, { run_id }: { run_id: string }): Promise<void> {
  const isAnswer = (turn: Turn) =>
    turn.run_id === run_id && turn.role === 'assistant' && turn.blocks.some(({ content }) => content === 'Done.')
  await witness.until((projection) => projection.run_id === null && projection.turns.some(isAnswer), PATIENCE_MS)
}
