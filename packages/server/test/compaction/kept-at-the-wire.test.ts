import type { CompactedSession } from '@parley/protocol/rest'
import { type FakeRequest, startFakeModel } from '@parley/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ServerConfig } from '../../src/config/options.ts'
import { STORES, World } from '../wire/world.ts'

const LONG = 'word '.repeat(80)
const OF_SERVER = 'srv-41f7c0de-not-for-anybody'
const OF_RUN = 'run-9c2b77aa-not-for-anybody'
const isSummary = ({ question }: FakeRequest) => question.includes('<record>')
const bodyOf = ({ body }: FakeRequest) => JSON.stringify(body)

describe.each(STORES)('[W10.11] [D4] on %s', (store) => {
  test('what the task list says is still to be done is in the summary, and what is done need not be', async () => {
    await using world = await World.open(store, { suggestions: false })
    const titles = ['Buy the domain', 'Publish the changelog', '通知所有客户']
    world.learn({
      [`Plan it. ${LONG}`]: ({ results }, round) => {
        if (round === 0)
          return { calls: titles.map((title, at) => ({ id: `t${at}`, name: 'TaskCreate', arguments: { title } })) }
        const [id] = /task_[0-9a-f]+/.exec(results[0]!)!
        return round === 1
          ? { calls: [{ name: 'TaskUpdate', arguments: { id, status: 'completed' } }] }
          : { text: `Planned. ${LONG}` }
      },
      [`And then? ${LONG}`]: [{ text: LONG }],
    })
    await using chat = await world.chat()
    for (const question of [`Plan it. ${LONG}`, `And then? ${LONG}`]) await chat.run(question)
    world.provider.add({ text: 'They planned.' }, { text: 'They planned something.' })
    const { body } = await world.rest<CompactedSession>('POST', `/api/sessions/${chat.session_id}/compact`)
    const [, again] = world.provider.requests.filter(isSummary)
    const lost = bodyOf(again!).split('It has lost these')[1]!
    for (const title of titles.slice(1)) {
      expect(lost).toContain(title)
      expect(body.compaction.summary_full).toContain(title)
    }
    expect(body.compaction.summary_full).not.toContain(titles[0])
  })

  test('[D7] no secret of the server’s environment, or of the run’s, is in a summary, whoever said it', async () => {
    const asked: FakeRequest[] = []
    const says = `The tokens are ${OF_SERVER} and ${OF_RUN}.`
    await using provider = await startFakeModel((request) => {
      asked.push(request)
      if (isSummary(request)) return { text: `${says} They must never be told.` }
      const hasLooked = request.results.length > 0 || bodyOf(request).includes('never be told')
      return hasLooked ? { text: 'Done.' } : { calls: [{ name: 'Look', arguments: { name: 'leak' } }] }
    })
    process.env['SERVICE_TOKEN'] = OF_SERVER
    onTestFinished(() => void delete process.env['SERVICE_TOKEN'])
    const small = { id: 'small', provider: 'openai-compatible' as const, url: provider.url, model: 'fake-model' }
    const options: Partial<ServerConfig> = { suggestions: false, compactAt: 0.5, model: 'small' }
    await using world = await World.open(store, { ...options, models: [{ ...small, contextWindow: 12_000 }] })
    world.gates.open('leak', `${says} ${'word '.repeat(6_000)}`)
    await using chat = await world.chat()
    await chat.run('Hello')
    await chat.run(`Remember: ${says} ${'word '.repeat(2_000)}`, { runtime_env: { DEPLOY_TOKEN: OF_RUN } })
    const compactions = (await chat.messages()).filter(
      ({ kind, summary_full }) => kind === 'compaction' && summary_full,
    )
    expect(compactions.length).toBeGreaterThan(0)
    for (const { summary_full } of compactions) expect(summary_full).toContain('[secret] and [secret]')
    const told = chat.received.filter(({ payload }) => payload['kind'] === 'compaction')
    const summaries = asked.filter(isSummary).map(bodyOf)
    for (const secret of [OF_SERVER, OF_RUN]) {
      expect(JSON.stringify(compactions)).not.toContain(secret)
      expect(JSON.stringify(told)).not.toContain(secret)
      for (const request of summaries) expect(request).not.toContain(secret)
    }
  })
  test('[D7] nor is one that a run was given which is over', async () => {
    await using world = await World.open(store, { suggestions: false })
    const asked: FakeRequest[] = []
    world.otherwise((request) => {
      asked.push(request)
      return isSummary(request) ? { text: `The token is ${OF_RUN}.` } : { text: `It was ${OF_RUN}. ${LONG}` }
    })
    await using chat = await world.chat()
    for (const nth of ['one', 'two', 'three']) await chat.run(`${nth} ${LONG}`, { runtime_env: { TOKEN: OF_RUN } })
    const { body } = await world.rest<CompactedSession>('POST', `/api/sessions/${chat.session_id}/compact`)
    expect(body.compaction.summary_full).toContain('The token is [secret].')
    for (const request of asked.filter(isSummary)) expect(bodyOf(request)).not.toContain(OF_RUN)
  })
})
