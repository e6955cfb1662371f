import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FakeChoice, FakeReply } from '@parley/testkit'
import { expect, test } from 'vitest'
import type { Point } from '../../src/runs/points.ts'
import { isAlive, until } from '../sandbox/rig.ts'
import { drawing, execute, OPTION, tool, write } from '../tools/analysis/programs.ts'
import { type Arena, freePort, KEY, LEASE_MS, openArena, watch } from './arena.ts'
import { checkEnd } from './checks.ts'
import type { Witness } from './witness.ts'

const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

/** Says that it has begun; only the second time does it come to an end. */
const PROGRAM = drawing(
  [OPTION],
  `import { appendFileSync } from 'node:fs'
   appendFileSync('begun.txt', 'begun\\n')
   if (readFileSync('begun.txt', 'utf8') === 'begun\\n') for (;;) await new Promise((done) => setTimeout(done, 1000))`,
)

const SUB_AGENT: readonly FakeReply[] = [write('main.mjs', PROGRAM), execute('main.mjs'), { text: 'Drawn.' }]
const MAIN: readonly FakeReply[] = [tool('analyse_by_code', { goal: 'Goal: survive' }), { text: 'Done.' }]

/** The model, and how often the sub-agent was asked to begin. */
function scripted() {
  let begun = 0
  const choose: FakeChoice = ({ question, results }) => {
    if (question !== 'Goal: survive') return MAIN[results.length]
    if (results.length === 0) begun += 1
    return SUB_AGENT[results.length]
  }
  return { choose, begun: () => begun }
}

test.each(['sqlite', 'postgres'] as const)(
  '[O13.1] [D3] %s: killed while its program runs, an analysis goes on under its number, with what it remembers',
  { timeout: 300_000 },
  async (kind) => {
    const { choose, begun } = scripted()
    await using arena = await openArena(kind, choose)
    const victim = await start(arena, await freePort())
    const session_id = await arena.newSession(victim.url)
    using sender = watch(() => victim.url, session_id)
    await sender.send({ message: 'Analyse it' })
    const directory = join(arena.directory, 'workspaces/.analyses', session_id, '1')
    await until(() => linesIn(directory) === 1, 60_000, 'the program has begun')
    victim.server.signal('SIGKILL')
    await victim.server.exited
    await until(() => !isAlive(directory), LEASE_MS * 3, 'the program is gone with its server')
    // On PostgreSQL another instance takes over; on SQLite the same server comes back.
    const next = await start(arena, kind === 'sqlite' ? victim.port : await freePort())
    using witness = watch(() => next.url, session_id)
    expect(await endOf(witness)).toMatchObject({ status: 'done', result: { analyse_id: 1 } })
    expect([linesIn(directory), begun()]).toEqual([2, 1])
    const body = JSON.stringify({ analyse_id: 1 })
    const reply = await fetch(`${next.url}/chat/get_analyse_by_code_result`, { method: 'POST', headers, body })
    expect(await reply.json()).toMatchObject({ session_id, echarts_list: [OPTION] })
  },
)

test(
  '[O13.1] [D3] killed around C5 and C6, there is one analysis, and its result is told',
  { timeout: 300_000 },
  async () => {
    const replies = [write('main.mjs', drawing([OPTION])), execute('main.mjs'), { text: 'Drawn.' }]
    await using arena = await openArena('sqlite', ({ question, results }) =>
      question === 'Goal: survive' ? replies[results.length] : MAIN[results.length],
    )
    let victim = await start(arena, await freePort())
    for (const [index, kill] of (['before:C5', 'after:C5', 'before:C6', 'after:C6'] satisfies Point[]).entries()) {
      arena.order(victim.port, { kill, holds: true })
      const session_id = await arena.newSession(victim.url)
      const { url, port } = victim
      using sender = watch(() => url, session_id)
      await sender.send({ message: 'Analyse it' })
      expect(await victim.server.exited, kill).toBe('SIGKILL')
      victim = await start(arena, port)
      using witness = watch(() => url, session_id)
      expect(await endOf(witness), kill).toMatchObject({ status: 'done', result: { analyse_id: index + 1 } })
    }
  },
)

async function start(arena: Arena, port: number) {
  const leaseMs = arena.kind === 'sqlite' ? 20_000 : 3_000
  return { server: await arena.start({ port, options: { leaseMs } }), port, url: `http://127.0.0.1:${port}` }
}

function linesIn(directory: string): number {
  try {
    return readFileSync(join(directory, 'begun.txt'), 'utf8').split('\n').length - 1
  } catch {
    return 0
  }
}

async function endOf(witness: Witness) {
  await witness.until(({ status, run_id }) => status === 'completed' && run_id === null)
  await checkEnd(witness)
  return (await witness.messages()).flatMap(({ tool_calls }) => tool_calls)[0]!
}
