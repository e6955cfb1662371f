import { openQuestions, type Projection, textOf, type TurnProjection } from '@parley/protocol'
import { type FakeChoice, type NodeProcess, startTcpProxy } from '@parley/testkit'
import { expect, test } from 'vitest'
import { type Arena, freePort, KEY, LEASE_MS, openArena, watch } from '../crash/arena.ts'
import { checkEnd } from '../crash/checks.ts'

/** The model of these races: quick answers, slow ones, and questions. */
const chat: FakeChoice = ({ question, results }) => {
  if (question.startsWith('slow')) return { text: 'word '.repeat(2_000), chunkDelayMs: 5 }
  if (question.startsWith('ask') && results.length === 0)
    return {
      calls: [
        {
          name: 'AskUserQuestion',
          arguments: { questions: [{ question: 'Which?', options: [{ label: 'this' }, { label: 'that' }] }] },
        },
      ],
    }
  if (question.startsWith('brief')) return { text: 'Done.', chunkDelayMs: 2 }
  return { text: `You said ${question}` }
}

test(
  '[DC8] of 20 simultaneous answers to one question, over two instances, exactly one wins',
  { timeout: 300_000 },
  async () => {
    await using arena = await openArena('postgres', chat)
    const [one, two] = await startTwo(arena)
    const session_id = await arena.newSession(one.url)
    using here = watch(() => one.url, session_id)
    using there = watch(() => two.url, session_id)
    await here.send({ message: 'ask' })
    await here.until(({ pending_question }) => pending_question !== null)
    const { tool_call_id } = here.projection.pending_question!
    const answers = Array.from({ length: 20 }, (_, index) =>
      (index % 2 ? here : there)
        .send({ message: '', askuser_answer: { tool_call_id, selections: { '0': [index % 2] }, custom: {} } })
        .then(
          () => 'won',
          (error: Error) => error.message.split(':')[0],
        ),
    )
    const outcomes = await Promise.all(answers)
    expect(outcomes.filter((outcome) => outcome === 'won')).toHaveLength(1)
    expect(new Set(outcomes.filter((outcome) => outcome !== 'won'))).toEqual(new Set(['ask_not_pending']))
    await here.until(({ status }) => status === 'completed')
    await checkEnd(here)
    expect(
      (await here.messages()).filter(({ blocks }) => blocks.some(({ type }) => type === 'ask_user_answer')),
    ).toHaveLength(1)
  },
)

test.each(['sqlite', 'postgres'] as const)(
  '[W2.5.4] on %s, 100 sends from inside chat:end are all accepted',
  { timeout: 300_000 },
  async (kind) => {
    await using arena = await openArena(kind, chat)
    const { url } = await startOne(arena)
    const session_id = await arena.newSession(url)
    using witness = watch(() => url, session_id)
    let sent = 0
    const done = new Promise<void>((resolve, reject) => {
      witness.onEvent('chat:end', () => {
        sent += 1
        if (sent > 100) resolve()
        else witness.send({ message: `again ${sent}` }).catch(reject)
      })
    })
    await witness.send({ message: 'begin' })
    await done
    expect((await witness.messages()).filter(({ role }) => role === 'user')).toHaveLength(101)
  },
)

test.each(['sqlite', 'postgres'] as const)(
  '[DC9] on %s, messages added around the end of a run are answered or refused, never lost',
  { timeout: 300_000 },
  async (kind) => {
    await using arena = await openArena(kind, chat)
    const instances = kind === 'sqlite' ? [await startOne(arena)] : await startTwo(arena)
    const session_id = await arena.newSession(instances[0]!.url)
    using witness = watch(() => instances[0]!.url, session_id)
    using other = watch(() => instances.at(-1)!.url, session_id)
    const accepted: string[] = []
    for (let round = 0; round < 200; round++) {
      await witness.send({ message: `brief ${round}` })
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 25))
      const message = `added ${round}`
      await other.emit('chat:append', { session_id, message }).then(
        () => accepted.push(message),
        (error: Error) => expect(error.message).toMatch(/^not_running/),
      )
      await witness.idle()
    }
    await checkEnd(witness)
    const turns = await witness.messages()
    expect(turns.filter((turn) => turn.role === 'user' && textOf(turn).startsWith('added')).map(textOf)).toEqual(
      accepted,
    )
    for (const message of accepted) expect(answeredAfter(turns, message), message).toBe(true)
  },
)

test.each(['sqlite', 'postgres'] as const)(
  '[D3] on %s, stops around the end of a run leave no status behind',
  { timeout: 300_000 },
  async (kind) => {
    await using arena = await openArena(kind, chat)
    const instances = kind === 'sqlite' ? [await startOne(arena)] : await startTwo(arena)
    const session_id = await arena.newSession(instances[0]!.url)
    using witness = watch(() => instances[0]!.url, session_id)
    using other = watch(() => instances.at(-1)!.url, session_id)
    for (let round = 0; round < 200; round++) {
      await witness.send({ message: `brief ${round}` })
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 25))
      await other.emit('chat:stop', { session_id })
      await witness.idle()
    }
    await checkEnd(witness)
    expect(['completed', 'interrupted']).toContain((await witness.session()).status)
  },
)

/** A question and a tool that ends a moment later: the answer meets a run that is about to pause, or has just paused. */
const askBeside: FakeChoice = ({ results }) => {
  if (results.length > 0) return { text: 'Thanks.' }
  const questions = [{ question: 'Which?', options: [{ label: 'this' }] }]
  return {
    calls: [
      { name: 'AskUserQuestion', arguments: { questions } },
      { name: 'Count', arguments: { mark: 'x' } },
    ],
  }
}

test.each(['sqlite', 'postgres'] as const)(
  '[DC9] on %s, an answer raced 200 times against the end of its run is taken, once, by one run or the next',
  { timeout: 300_000 },
  async (kind) => {
    await using arena = await openArena(kind, askBeside)
    const instances = kind === 'sqlite' ? [await startOne(arena)] : await startTwo(arena)
    const session_id = await arena.newSession(instances[0]!.url)
    using witness = watch(() => instances[0]!.url, session_id)
    using other = watch(() => instances.at(-1)!.url, session_id)
    let last = ''
    for (let round = 0; round < 200; round++) {
      await witness.send({ message: `round ${round}` })
      // A client that lags still shows the question before.
      const asked = () => openQuestions(other.projection.turns).find((question) => question.tool_call_id !== last)
      await other.until(() => asked() !== undefined)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 12))
      last = asked()!.tool_call_id
      const answer = { tool_call_id: last, selections: { '0': [0] }, custom: {} }
      await other.send({ message: '', askuser_answer: answer })
      const isAnswered = ({ turns }: Projection) => turns.filter((turn) => textOf(turn) === 'Thanks.').length > round
      await witness.until((projection) => isAnswered(projection) && projection.run_id === null)
    }
    await checkEnd(witness)
    const turns = await witness.messages()
    const answers = turns.filter(({ blocks }) => blocks.some(({ type }) => type === 'ask_user_answer'))
    expect(answers).toHaveLength(200)
    expect(turns.filter((turn) => textOf(turn) === 'Thanks.')).toHaveLength(200)
  },
)

test(
  '[D3] an answer given on an instance that does not own the run, its hints cut, reaches the run',
  { timeout: 300_000 },
  async () => {
    const slow: FakeChoice = ({ question, results }) => {
      if (question === 'linger') return { text: 'word '.repeat(2_000), chunkDelayMs: 5 }
      if (results.length > 0) return { text: 'Thanks.' }
      const questions = [{ question: 'Which?', options: [{ label: 'this' }] }]
      return {
        calls: [
          { name: 'AskUserQuestion', arguments: { questions } },
          { name: 'Agent', arguments: { description: 'linger', prompt: 'linger' } },
        ],
      }
    }
    await using arena = await openArena('postgres', slow)
    const target = new URL(arena.databaseUrl!)
    await using proxy = await startTcpProxy({ host: target.hostname, port: Number(target.port) })
    proxy.dropRequest('LISTEN', Number.MAX_SAFE_INTEGER)
    target.port = String(proxy.port)
    const owner = await startOne(arena, { databaseUrl: target.href })
    const other = await startOne(arena)
    const session_id = await arena.newSession(owner.url)
    using witness = watch(() => owner.url, session_id)
    await witness.send({ message: 'go' })
    await witness.until(({ turns }) => openQuestions(turns).length > 0)
    const [question] = openQuestions(witness.projection.turns)
    using there = watch(() => other.url, session_id)
    const answer = { tool_call_id: question!.tool_call_id, selections: { '0': [0] }, custom: {} }
    await there.send({ message: '', askuser_answer: answer })
    await witness.until(({ turns }) => openQuestions(turns).length === 0, 2_000)
    await witness.emit('chat:stop', { session_id })
    await witness.until(({ status }) => status === 'interrupted')
  },
)

test(
  '[DC8] an answer raced 200 times against a new message: one of them wins, the session stays usable',
  { timeout: 300_000 },
  async () => {
    await using arena = await openArena('postgres', chat)
    const [one, two] = await startTwo(arena)
    const session_id = await arena.newSession(one.url)
    using here = watch(() => one.url, session_id)
    using there = watch(() => two.url, session_id)
    let last = ''
    for (let round = 0; round < 200; round++) {
      await here.send({ message: `ask ${round}` })
      // A client that lags still shows the question before.
      const isAsked = ({ pending_question, run_id }: Projection) =>
        pending_question !== null && pending_question.tool_call_id !== last && run_id === null
      await here.until(isAsked)
      const { tool_call_id } = here.projection.pending_question!
      last = tool_call_id
      const answer = here
        .send({ message: '', askuser_answer: { tool_call_id, selections: { '0': [0] }, custom: {} } })
        .then(
          () => 'ok',
          (error: Error) => error.message.split(':')[0],
        )
      const message = there.send({ message: `instead ${round}` }).then(
        () => 'ok',
        (error: Error) => error.message.split(':')[0],
      )
      const outcomes = await Promise.all([answer, message])
      expect([
        ['ok', 'session_busy'],
        ['ask_not_pending', 'ok'],
        ['ok', 'ok'],
      ]).toContainEqual(outcomes)
      const isShown = ({ turns, pending_question }: Projection) =>
        pending_question?.tool_call_id !== last &&
        (outcomes[1] !== 'ok' || turns.some((turn) => textOf(turn) === `instead ${round}`))
      await here.until((projection) => isShown(projection) && projection.run_id === null)
      await here.idle()
    }
    await checkEnd(here)
  },
)

test(
  '[D3] a stop and an added message reach an owner elsewhere although no hint does',
  { timeout: 300_000 },
  async () => {
    await using arena = await openArena('postgres', chat)
    const target = new URL(arena.databaseUrl!)
    await using proxy = await startTcpProxy({ host: target.hostname, port: Number(target.port) })
    proxy.dropRequest('LISTEN', Number.MAX_SAFE_INTEGER)
    target.port = String(proxy.port)
    const owner = await startOne(arena, { databaseUrl: target.href })
    const other = await startOne(arena, { databaseUrl: target.href })
    const session_id = await arena.newSession(owner.url)
    using witness = watch(() => owner.url, session_id)
    using remote = watch(() => other.url, session_id)
    await witness.send({ message: 'slow' })
    await witness.until(({ turns }) => turns.length > 1)
    await remote.emit('chat:append', { session_id, message: 'and this' })
    await witness.until(({ turns }) => turns.some((turn) => textOf(turn) === 'and this'))
    const askedAt = performance.now()
    await remote.emit('chat:stop', { session_id })
    await witness.until(({ status }) => status === 'interrupted')
    expect(performance.now() - askedAt).toBeLessThan(2_000)
    await remote.until(({ status }) => status === 'interrupted')
  },
)

test(
  '[D3] a stop holds although the owner is dead: the run ends interrupted within the lease and two seconds',
  { timeout: 300_000 },
  async () => {
    await using arena = await openArena('postgres', chat)
    const [owner, other] = await startTwo(arena)
    const session_id = await arena.newSession(owner.url)
    using sender = watch(() => owner.url, session_id)
    using witness = watch(() => other.url, session_id)
    await sender.send({ message: 'slow' })
    await witness.until(({ turns }) => turns.length > 1)
    owner.server.signal('SIGKILL')
    const askedAt = performance.now()
    await witness.emit('chat:stop', { session_id })
    await witness.until(({ status }) => status === 'interrupted')
    expect(performance.now() - askedAt).toBeLessThan(LEASE_MS + 2_000)
    await checkEnd(witness)
  },
)

test(
  '[DC1] a send retried while its own run is active gets the same acknowledgement and starts nothing',
  { timeout: 300_000 },
  async () => {
    await using arena = await openArena('postgres', chat)
    const [one, two] = await startTwo(arena)
    const session_id = await arena.newSession(one.url)
    using here = watch(() => one.url, session_id)
    using there = watch(() => two.url, session_id)
    const command = { message: 'slow', client_message_id: 'm1' }
    const acks = await Promise.all([here.send(command), there.send(command), here.send(command), there.send(command)])
    expect(new Set(acks.map(({ run_id }) => run_id)).size).toBe(1)
    await expect(there.send({ ...command, message: 'other' })).rejects.toThrow(/^invalid_payload/)
    await here.emit('chat:stop', { session_id })
    await here.until(({ status }) => status === 'interrupted')
    expect((await here.messages()).filter(({ role }) => role === 'user')).toHaveLength(1)
  },
)

test(
  '[D3] SIGTERM hands a run with an attached REST caller back, and another instance goes on at once',
  { timeout: 300_000 },
  async () => {
    await using arena = await openArena('postgres', chat)
    const [owner, other] = await startTwo(arena)
    const session_id = await arena.newSession(owner.url)
    using witness = watch(() => other.url, session_id)
    const body = JSON.stringify({ message: 'slow', client_message_id: 'm1' })
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const call = fetch(`${owner.url}/api/sessions/${session_id}/chat`, { method: 'POST', headers, body }).then(
      (reply) => reply.status,
      () => 'cut',
    )
    await witness.until(({ turns }) => turns.length > 1)
    owner.server.signal('SIGTERM')
    expect(await owner.server.exited).toBe(0)
    expect([503, 'cut']).toContain(await call)
    // No lease had to run out: the run is under way again, without a second chat:start.
    await witness.until(({ turns }) => turns.length > 2, LEASE_MS + 1_000)
    expect(witness.seen.filter((name) => name === 'chat:start')).toHaveLength(1)
    expect((await witness.session()).status).toBe('running')
    await witness.emit('chat:stop', { session_id })
    await witness.until(({ status }) => status === 'interrupted')
  },
)

type Instance = { server: NodeProcess; url: string }

async function startOne(arena: Arena, options: { databaseUrl?: string } = {}): Promise<Instance> {
  const port = await freePort()
  return { server: await arena.start({ port, ...options }), url: `http://127.0.0.1:${port}` }
}

async function startTwo(arena: Arena): Promise<[Instance, Instance]> {
  return [await startOne(arena), await startOne(arena)]
}

function answeredAfter(turns: readonly TurnProjection[], message: string): boolean {
  const said = turns.findIndex((turn) => turn.role === 'user' && textOf(turn) === message)
  return turns.slice(said + 1).some(({ role }) => role === 'assistant')
}
