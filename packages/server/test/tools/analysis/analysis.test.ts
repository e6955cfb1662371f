import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FakeReply } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import type { GivenModelCall, ModelCall } from '../../../src/model-calls/model-call-rows.ts'
import { requestBody } from '../../../src/models/openai-compatible/request-body.ts'
import { isAlive, until } from '../../sandbox/rig.ts'
import type { Chat } from '../../wire/chat.ts'
import { sharedWorld, STORES, World } from '../../wire/world.ts'
import { analyseIdOf, analysisOf, callOf, drawing, execute, OPTION, PATIENCE, tool, write } from './programs.ts'

const CHARTS = '/chat/get_analyse_by_code_result'

/** A conversation whose agent asks for one analysis; the sub-agent does these things. */
async function analysed(world: World, name: string, replies: readonly FakeReply[]): Promise<Chat> {
  world.learn(analysisOf(name, `Goal: ${name}`, replies))
  const chat = await world.chat()
  await chat.run(name)
  return chat
}

const drawn = [write('main.mjs', drawing([OPTION])), execute('main.mjs'), { text: 'Drawn.' }]

describe.each(STORES)('analysis by code, on %s', (store) => {
  const world = sharedWorld(store)

  test(
    '[O13.1] a sub-agent writes a program, runs it, repairs it, and its last answer is the result',
    PATIENCE,
    async () => {
      await using chat = await analysed(world(), 'repair it', [
        write('main.mjs', 'console.error("no"); process.exit(3)'),
        execute('main.mjs'),
        write('main.mjs', drawing([OPTION], 'console.log("sum", 3)')),
        execute('main.mjs'),
        { text: 'The sum is 3.' },
      ])
      const { result, status } = await callOf(chat, 'analyse_by_code')
      expect(status).toBe('done')
      expect(result).toEqual({
        analyse_id: expect.any(Number),
        result: {
          id: expect.stringMatching(/^msg_/),
          name: 'OneDragon',
          role: 'assistant',
          content: [{ type: 'text', text: 'The sum is 3.' }],
          metadata: null,
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/),
        },
      })
      const last = world().requests('Goal: repair it').at(-1)!
      expect(last.results).toEqual([
        'Wrote main.mjs.',
        '<returncode>3</returncode><stdout></stdout><stderr>no\n</stderr>',
        'Wrote main.mjs.',
        '<returncode>0</returncode><stdout>sum 3\n</stdout><stderr></stderr>',
      ])
      // Only the call and its result are told, and the sub-agent has tools of its own.
      expect((await chat.messages()).map(({ loop_id }) => loop_id)).toEqual(['root', 'root', 'root'])
      expect(last.tools).not.toContain('Bash')
      expect(world().requests('repair it')[0]!.tools).not.toContain('write_text_file')
    },
  )

  test('what the sub-agent was given is among the model calls of the session', PATIENCE, async () => {
    await using chat = await analysed(world(), 'on record', drawn)
    const path = `/api/sessions/${chat.session_id}/model-calls`
    const { body } = await world().rest<{ items: ModelCall[] }>('GET', path)
    const own = `analysis:${await analyseIdOf(chat)}`
    expect(body.items.map(({ loop_id, model }) => [loop_id, model])).toEqual(
      ['root', own, own, own, 'root'].map((loop) => [loop, 'fake-model']),
    )
    expect(new Set(body.items.map(({ run_id }) => run_id)).size).toBe(1)
    const { body: last } = await world().rest<GivenModelCall>('GET', `${path}/${body.items[3]!.event_seq}`)
    const sent = world().requests('Goal: on record').at(-1)!
    const given = { ...last.input!, signal: new AbortController().signal }
    expect(requestBody(given, 'fake-model')).toBe(sent.bytes.toString())
  })

  test('[O13.1] with its id an analysis goes on: it remembers, and finds its files', PATIENCE, async () => {
    await using chat = await analysed(world(), 'begin', [
      write('main.mjs', drawing([OPTION], `writeFileSync('notes.txt', 'kept')`)),
      execute('main.mjs'),
      { text: 'Begun.' },
    ])
    const analyse_id = await analyseIdOf(chat)
    world().learn({
      'go on': [tool('analyse_by_code', { goal: 'Goal: go on', analyse_id }), { text: 'Done' }],
      'Goal: go on': [tool('view_text_file', { file_path: 'notes.txt' }), { text: 'Gone on.' }],
    })
    await chat.run('go on')
    expect(await callOf(chat, 'analyse_by_code')).toMatchObject({
      status: 'done',
      result: { analyse_id, result: { content: [{ text: 'Gone on.' }] } },
    })
    const [first] = world().requests('Goal: go on')
    expect(first!.messages.map(({ text }) => text)).toContain('Goal: begin')
    expect(world().requests('Goal: go on').at(-1)!.results).toEqual(['1: kept'])
  })

  test(
    '[O13.1] ids are unique on the server and grow; one of another session is as good as none',
    PATIENCE,
    async () => {
      await using one = await analysed(world(), 'first', drawn)
      await using two = await analysed(world(), 'second', drawn)
      const [first, second] = [await analyseIdOf(one), await analyseIdOf(two)]
      expect(second).toBeGreaterThan(first)
      const refused = async (name: string, analyse_id: number) => {
        const args = { analyse_id, goal: 'x' }
        for (const each of ['analyse_by_code', 'display_analyse_by_code_result']) {
          world().learn({ [`${name} ${each}`]: [tool(each, args), { text: 'I see' }] })
          await two.run(`${name} ${each}`)
          const words = `There is no analysis ${analyse_id} in this conversation.`
          expect(await callOf(two, each)).toMatchObject({ status: 'error', result: words })
        }
      }
      await refused('foreign', first)
      await refused('unknown', 999_999)
    },
  )

  test('[O13.1] what is no list of charts is told to the sub-agent, who repairs it', PATIENCE, async () => {
    world().learn({
      ...analysisOf('bad json', 'Goal: bad json', [
        write(
          'main.mjs',
          `import { writeFileSync } from 'node:fs'; writeFileSync('result.json', '{"echarts_list": 7}')`,
        ),
        execute('main.mjs'),
        { text: 'Done?' },
      ]),
      'result.json: it must be an object with echarts_list, a list of ECharts options. Repair the program, run it, and answer again.':
        drawn,
    })
    await using chat = await world().chat()
    await chat.run('bad json')
    const { body } = await world().rest('POST', CHARTS, { body: { analyse_id: await analyseIdOf(chat) } })
    expect(body).toMatchObject({ echarts_list: [OPTION] })
  })

  test(
    '[O13.3.1] [O13.3.2] a display is told as {"analyse_id"}, to the model too, and as a card',
    PATIENCE,
    async () => {
      await using chat = await analysed(world(), 'to show', drawn)
      const analyse_id = await analyseIdOf(chat)
      world().learn({ 'show it': [tool('display_analyse_by_code_result', { analyse_id }), { text: 'There.' }] })
      await chat.run('show it')
      expect(world().requests('show it').at(-1)!.results).toEqual([JSON.stringify({ analyse_id })])
      const card = (await chat.messages()).flatMap(({ blocks }) => blocks).findLast(({ type }) => type === 'tool_ui')
      expect(card!.content).toMatchObject({ target: 'inline', echarts_list: [OPTION] })
      expect((card!.content as { resourceHTML: string }).resourceHTML).toContain('<svg')
    },
  )

  test('[O13.4] both forms of the request give both forms of the answer', PATIENCE, async () => {
    await using chat = await analysed(world(), 'two forms', drawn)
    const { session_id } = chat
    const analyse_id = await analyseIdOf(chat)
    const answer = { session_id, analyse_id, echarts_list: [OPTION], result: { echarts_list: [OPTION] } }
    for (const body of [{ analyse_id }, { analyse_id, session_id }, { analyse_id, session_id: null }]) {
      const { status, body: given } = await world().rest('POST', CHARTS, { body })
      expect([status, given]).toEqual([200, answer])
    }
  })

  test('[O13.4] [O12.4] it is the owner’s alone, and survives a restart', PATIENCE, async () => {
    await using chat = await analysed(world(), 'mine', drawn)
    const { session_id } = chat
    const analyse_id = await analyseIdOf(chat)
    const asked = async (body: object, token?: string) => {
      const { status, body: given } = await world().rest('POST', CHARTS, { body, ...(token && { token }) })
      return [status, given]
    }
    const refused = (status: number, code: string, detail: string) => [status, { detail, message: detail, code }]
    const unknown = (id: number) => refused(404, 'not_found', `Analysis directory not found: ${id}`)
    expect(await asked({ analyse_id: 999_999 })).toEqual(unknown(999_999))
    expect(await asked({ analyse_id }, world().strangersKey)).toEqual(unknown(analyse_id))
    const gone = (id: string) => refused(404, 'session_not_found', `Session not found: ${id}`)
    expect(await asked({ analyse_id, session_id: 'sess_none' })).toEqual(gone('sess_none'))
    expect(await asked({ analyse_id, session_id: 'a\0b' })).toEqual(gone('a\0b'))
    expect(await asked({ analyse_id, session_id }, world().strangersKey)).toEqual(gone(session_id))
    expect(await asked({ analyse_id, session_id: await world().newSession() })).toEqual(unknown(analyse_id))
    await world().stop()
    await world().start()
    expect((await asked({ analyse_id }))[0]).toBe(200)
    await world().rest('DELETE', `/api/sessions/${session_id}`)
    expect(await asked({ analyse_id })).toEqual(unknown(analyse_id))
    expect(existsSync(join(world().dataDir, 'workspaces/.analyses', session_id))).toBe(false)
  })

  test.each<[why: string, body: unknown]>([
    ['nothing', {}],
    ['no number', { analyse_id: 'one' }],
    ['no whole number', { analyse_id: 1.5 }],
    ['a number beyond all', { analyse_id: 1e300 }],
    ['another kind of session', { analyse_id: 1, session_id: 7 }],
    ['a session without a name', { analyse_id: 1, session_id: '' }],
    ['a list', [1]],
    ['no JSON', '{"analyse_id":'],
    ['depth', '{"analyse_id":'.repeat(500)],
  ])('[O13.4] a body that is wrong is refused: %s', async (_why, body) => {
    const { status, body: given } = await world().rest('POST', CHARTS, { body })
    expect(status).toBe(422)
    expect(given).toEqual({ detail: expect.any(String), message: given['detail'], code: 'invalid_payload' })
  })

  test('[O13.4] without a result, and with one that is none, it says so', PATIENCE, async () => {
    const again = { text: 'I do not want to.' }
    world().learn({
      'There is no file result.json in the working directory. Repair the program, run it, and answer again.': [again],
      'result.json: it is not valid JSON, or nests deeper than 32 levels. Repair the program, run it, and answer again.':
        [again],
    })
    await using none = await analysed(world(), 'no result', [{ text: 'Nothing to draw.' }])
    await using bad = await analysed(world(), 'a bad result', [write('result.json', '{'), { text: 'Drawn.' }])
    const detail = async (chat: Chat) => {
      const { status, body } = await world().rest('POST', CHARTS, { body: { analyse_id: await analyseIdOf(chat) } })
      return `${status} ${String(body['detail'])}`
    }
    expect(await detail(none)).toBe(`404 Result file not found for analysis: ${await analyseIdOf(none)}`)
    expect(await detail(bad)).toBe('500 Invalid JSON in result file')
    expect(await callOf(bad, 'analyse_by_code')).toMatchObject({
      result: { result: { content: [{ text: expect.stringContaining('not valid JSON') }] } },
    })
  })
})

describe('what a program has to work on', () => {
  const world = sharedWorld()

  test('[O13.1] the session’s files, and what its tools have answered', PATIENCE, async () => {
    await using chat = await world().chat()
    const goal =
      'Goal: use data\n\nWhat tools have answered in the conversation lies in the working directory:\n- tool-results/'
    world().learn({
      'read it': [tool('Write', { file_path: 'sales.csv', content: 'a,1\nb,2\n' }), { text: 'Written.' }],
    })
    await chat.run('read it')
    const program = drawing(
      [],
      `import { readdirSync } from 'node:fs'
       console.log(readFileSync(process.env.WORKSPACE + '/sales.csv', 'utf8').split('\\n').length)
       console.log(readFileSync('tool-results/' + readdirSync('tool-results')[0], 'utf8'))`,
    )
    world().learn({ 'use it': [tool('analyse_by_code', { goal: 'Goal: use data' }), { text: 'Done' }] })
    const replies = [write('main.mjs', program), execute('main.mjs'), { text: 'Read.' }]
    world().learn({ [`${goal}1-1-Write.txt (from Write)`]: replies })
    await chat.run('use it')
    const last = world().provider.requests.findLast(({ question }) => question.startsWith('Goal: use data'))!
    expect(last.results[1]).toContain('<returncode>0</returncode><stdout>3\nWrote 8 bytes to sales.csv.\n</stdout>')
  })

  test.skipIf(!existsSync('/usr/bin/python3'))('[O13.1] a program may be written in Python', PATIENCE, async () => {
    const program = `import json\njson.dump({"echarts_list": [${JSON.stringify(OPTION)}]}, open("result.json", "w"))\nprint("é")`
    await using chat = await analysed(world(), 'in python', [
      write('main.py', program),
      tool('execute_python_code_by_path', { code_file_path: 'main.py' }),
      { text: 'Done.' },
    ])
    expect(world().requests('Goal: in python').at(-1)!.results[1]).toContain('<stdout>é\n</stdout>')
    const { body } = await world().rest('POST', CHARTS, { body: { analyse_id: await analyseIdOf(chat) } })
    expect(body['echarts_list']).toEqual([OPTION])
  })
})

test('[O13.1] [O12.5] the sub-agent has the model that the conversation has now', PATIENCE, async () => {
  await using world = await World.open()
  const model = (id: string) => ({ id, provider: 'openai-compatible' as const, url: world.provider.url, model: id })
  await using both = await World.open('sqlite', { model: 'first', models: [model('first'), model('second')] })
  world.learn(analysisOf('with which', 'Goal: with which', drawn))
  world.learn({
    'and now': [tool('analyse_by_code', { goal: 'Goal: and now', analyse_id: 1 }), { text: 'Done' }],
    'Goal: and now': [{ text: 'As before.' }],
  })
  await using chat = await both.chat()
  await chat.run('with which')
  await chat.run('and now', { model: 'second' })
  const used = (goal: string) => world.requests(goal).map(({ model: id }) => id)
  expect(used('Goal: with which')).toEqual(['first', 'first', 'first'])
  expect(used('Goal: and now')).toEqual(['second'])
})

test('[O13.2] a stop ends the program, and the call is cancelled', PATIENCE, async () => {
  await using world = await World.open()
  const program = `import { writeFileSync } from 'node:fs'; writeFileSync('begun.txt', ''); for (;;);`
  world.learn(analysisOf('for ever', 'Goal: for ever', [write('main.mjs', program), execute('main.mjs')]))
  await using chat = await world.chat()
  const ack = await chat.send('for ever')
  const directory = join(world.dataDir, 'workspaces/.analyses', chat.session_id, '1')
  await until(() => existsSync(join(directory, 'begun.txt')), 30_000, 'the program has begun')
  await chat.stop()
  expect((await chat.ended(ack)).end.status).toBe('interrupted')
  expect(await callOf(chat, 'analyse_by_code')).toMatchObject({ status: 'cancelled' })
  await until(() => !isAlive(directory), 5_000, 'the program is gone')
})

test('[O13.2] without a sandbox nothing of it is offered', PATIENCE, async () => {
  await using world = await World.open('sqlite', { sandbox: 'none' })
  world.learn({ hello: [{ text: 'Hello' }] })
  await using chat = await world.chat()
  await chat.run('hello')
  const { tools } = world.requests('hello')[0]!
  expect(tools.filter((name) => name.includes('analyse_by_code'))).toEqual([])
  expect(tools).toContain('Bash')
})
