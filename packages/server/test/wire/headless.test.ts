import { describe, expect, test } from 'vitest'
import { askCall, sharedWorld, STORES } from './world.ts'

const COUNTRIES = {
  type: 'object',
  properties: { countries: { type: 'array', items: { type: 'string' } } },
  required: ['countries'],
}
const submit = (given: unknown) => ({ calls: [{ name: 'submit_result', arguments: given }] })

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  test('[W10.12] [WR-42] [WR-43] headless: events as usual, the result is the last text, and nobody can be asked', async () => {
    world().learn({
      'capital?': [
        { text: 'Let me see.', calls: [{ name: 'Bash', arguments: { command: 'atlas' } }] },
        { text: 'Paris' },
      ],
    })
    await using chat = await world().chat()
    const run = await chat.run('capital?', { headless: true })
    expect(run.trace).toEqual([
      'chat:start',
      'turn:start T0 user completed',
      'turn:end T0 completed',
      'turn:start T1 assistant streaming',
      'T1 text: Let me see.',
      'T1 add_tool_call c1 Bash pending',
      'T1 tool_result c1 done',
      'turn:end T1 completed',
      'turn:start T2 assistant streaming',
      'T2 text: Paris',
      'turn:end T2 completed',
      'chat:end completed/completed',
    ])
    expect(run.end).toMatchObject({ status: 'completed', finish_reason: 'completed' })
    expect(run.end.result).toEqual({ output: 'Paris' })
    expect(await chat.messages()).toHaveLength(3)
    const { tools } = world().requests('capital?')[0]!
    expect(tools).toContain('Agent')
    expect(tools).not.toContain('AskUserQuestion')
  })

  test('[W10.12] a question asked all the same is an error to the model, and the run goes on', async () => {
    world().learn({ 'ask me': [{ calls: [askCall()] }, { text: 'I will decide myself.' }] })
    await using chat = await world().chat()
    const run = await chat.run('ask me', { headless: true })
    expect(run.end).toMatchObject({ session_status: 'completed', result: { output: 'I will decide myself.' } })
    expect(run.trace).toContain('T1 tool_result c1 error')
  })

  test.each([
    ['headless', true],
    ['in a chat', false],
  ])('[W10.13] [WR-44] structured output, %s: the object, and the schema as it was sent', async (where, headless) => {
    const question = `countries, ${where}`
    world().learn({ [question]: [submit({ countries: ['Russia', 'Canada'] })] })
    await using chat = await world().chat()
    const run = await chat.run(question, { headless, output_schema: COUNTRIES })
    expect(run.trace.slice(3)).toEqual([
      'turn:start T1 assistant streaming',
      'T1 add_tool_call c1 submit_result pending',
      'T1 tool_result c1 done',
      'turn:end T1 completed',
      'chat:end completed/completed',
    ])
    expect(run.end.result).toEqual({ output: { countries: ['Russia', 'Canada'] }, schema: COUNTRIES })
    const [request] = world().requests(question)
    const tools = request!.body['tools'] as { function: { name: string; parameters: object } }[]
    expect(tools.find(({ function: { name } }) => name === 'submit_result')!.function.parameters).toEqual(COUNTRIES)
  })

  test('[W10.13] a schema that is no object is wrapped for the model and unwrapped for the caller', async () => {
    const output_schema = { type: 'array', items: { type: 'integer' } }
    world().learn({ numbers: [submit({ result: [1, 2, 3] })] })
    await using chat = await world().chat()
    const { end } = await chat.run('numbers', { headless: true, output_schema })
    expect(end.result).toEqual({ output: [1, 2, 3], schema: output_schema })
  })

  test('[W10.13] what does not fit goes back with its errors, an answer without a result gets a reminder, and the run is repaired', async () => {
    const reminder = 'Call submit_result now with your result; a plain answer does not count.'
    world().learn({
      repair: [submit({ countries: 'Russia' }), { text: 'Here you are: Russia' }],
      [reminder]: [submit({ countries: ['Russia'] })],
    })
    await using chat = await world().chat()
    const run = await chat.run('repair', { headless: true, output_schema: COUNTRIES })
    expect(run.trace.slice(4)).toEqual([
      'T1 add_tool_call c1 submit_result pending',
      'T1 tool_result c1 error',
      'turn:end T1 completed',
      'turn:start T2 assistant streaming',
      'T2 text: Here you are: Russia',
      'turn:end T2 completed',
      'turn:start T3 assistant streaming',
      'T3 add_tool_call c2 submit_result pending',
      'T3 tool_result c2 done',
      'turn:end T3 completed',
      'chat:end completed/completed',
    ])
    expect(world().requests('repair')[1]!.results[0]).toMatch(/countries/)
    expect(run.end.result).toMatchObject({ output: { countries: ['Russia'] } })
  })

  test.each([
    ['JSON', '{"countries":["Chad"]}\n', { schema: COUNTRIES, output: { countries: ['Chad'] } }],
    [
      'fenced JSON',
      'Here it is:\n\n```json\n{"countries": ["Chad"]}\n```\n',
      { schema: COUNTRIES, output: { countries: ['Chad'] } },
    ],
    ['a JSON list', '[1, 2]', { schema: { type: 'array', items: { type: 'integer' } }, output: [1, 2] }],
  ])('[W10.13] %s that fits the schema is the result, without a call', async (what, text, { schema, output }) => {
    world().learn({ [`in words: ${what}`]: [{ text }] })
    await using chat = await world().chat()
    const run = await chat.run(`in words: ${what}`, { headless: true, output_schema: schema })
    expect(run.end).toMatchObject({ status: 'completed', finish_reason: 'completed' })
    expect(run.end.result).toEqual({ output, schema })
    expect(world().requests(`in words: ${what}`)).toHaveLength(1)
  })

  test('[W10.13] JSON text that does not fit goes back with its errors, and may be repaired in words too', async () => {
    const told =
      'The result does not fit the schema: /countries must be array. Call submit_result now with your result; a plain answer does not count.'
    world().learn({ 'not yet': [{ text: '{"countries":7}' }], [told]: [{ text: '{"countries":[]}' }] })
    await using chat = await world().chat()
    const { end } = await chat.run('not yet', { headless: true, output_schema: COUNTRIES })
    expect(end).toMatchObject({ status: 'completed', result: { output: { countries: [] } } })
  })

  test('[W10.13] after three attempts the run fails, with the errors', async () => {
    world().learn({ never: () => submit({ countries: 7 }) })
    await using chat = await world().chat()
    const run = await chat.run('never', { headless: true, output_schema: COUNTRIES })
    expect(run.trace.slice(-2)).toEqual(['turn:end T3 failed', 'chat:end failed/failed'])
    const error = run.events.find(({ name }) => name === 'system:error')!
    expect(error.payload).toMatchObject({
      code: 'output_schema_unsatisfied',
      detail: { errors: [expect.stringContaining('countries')] },
    })
    expect(run.end).toMatchObject({ result: null, finish_reason: null, error: { code: 'output_schema_unsatisfied' } })
    expect(world().requests('never')).toHaveLength(3)
  })

  test.each([
    ['no schema', { type: 'nonsense' }],
    ['a reference that leads nowhere', { $ref: '#/nowhere' }],
    ['a reference out of the document', { $ref: 'https://example.com/schema.json' }],
    ['more than 64 KiB', { type: 'object', description: 'x'.repeat(65 * 1024) }],
  ])('[W5.3] [W10.13] %s is output_schema_invalid, and nothing starts', async (_what, output_schema) => {
    await using chat = await world().chat()
    expect(await chat.send('x', { headless: true, output_schema })).toMatchObject({
      status: 'error',
      code: 'output_schema_invalid',
    })
    expect(await chat.messages()).toEqual([])
    expect((await chat.session()).status).toBe('created')
    const rest = await world().rest('POST', `/api/sessions/${chat.session_id}/chat`, {
      body: { message: 'x', output_schema },
    })
    expect([rest.status, rest.body['code']]).toEqual([422, 'output_schema_invalid'])
  })
})

describe('over REST', () => {
  const world = sharedWorld()
  const chatOf = (session_id: string, body: object, signal?: AbortSignal) =>
    world().rest('POST', `/api/sessions/${session_id}/chat`, { body, ...(signal && { signal }) })

  test('[W11.3] [W10.13] 200: the result, and socket subscribers see the run like any other', async () => {
    world().learn({ 'over rest': [submit({ countries: ['Chad'] })] })
    await using chat = await world().chat()
    const { status, body } = await chatOf(chat.session_id, { message: 'over rest', output_schema: COUNTRIES })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      session_id: chat.session_id,
      status: 'completed',
      result: { output: { countries: ['Chad'] }, schema: COUNTRIES },
      finish_reason: 'completed',
      run_id: expect.stringMatching(/^chat_/),
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
      duration_ms: expect.any(Number),
    })
    const run = await chat.ended({ run_id: body['run_id'] } as never)
    expect(run.trace.at(-1)).toBe('chat:end completed/completed')
    expect(run.end.result).toEqual(body['result'])
  })

  test('[W11.3] [WR-45] …/headless is the same route; the paths that old documents warn of do not exist', async () => {
    world().learn({ alias: [{ text: 'same' }] })
    const session_id = await world().newSession()
    const { status, body } = await world().rest('POST', `/api/sessions/${session_id}/headless`, {
      body: { message: 'alias' },
    })
    expect([status, body['result']]).toEqual([200, { output: 'same' }])
    expect((await world().rest('POST', `/api/sessions/${session_id}/messages`, { body: {} })).status).toBe(405)
    expect((await world().rest('POST', '/api/chat', { body: {} })).status).toBe(404)
  })

  test.each([
    ['no message', {}, 'invalid_payload'],
    ['an empty message', { message: '' }, 'invalid_payload'],
    ['a message of the wrong type', { message: 7 }, 'invalid_payload'],
    ['a mode that does not exist', { message: 'x', mode: 'dreaming' }, 'invalid_payload'],
    ['a model that does not exist', { message: 'x', model: 'gpt-99' }, 'model_not_available'],
    ['too little time', { message: 'x', timeout_ms: 10 }, 'invalid_payload'],
  ])('[W11.3] 422 for %s, with a text', async (_what, body, code) => {
    const session_id = await world().newSession()
    const answer = await chatOf(session_id, body)
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ code, detail: expect.any(String) })
    expect(await world().messages(session_id)).toEqual([])
  })

  test('[W11.3] 409 session_busy while a run is active, 409 interrupted for the one that is stopped', async () => {
    world().learn({ 'long work': [{ text: 'Working', hang: 'after' }] })
    await using chat = await world().chat()
    const first = chatOf(chat.session_id, { message: 'long work' })
    await chat.told('T1 text: Working')
    const busy = await chatOf(chat.session_id, { message: 'me too' })
    expect(busy.status).toBe(409)
    const { run_id } = chat.received.find(({ name }) => name === 'chat:start')!.payload
    expect(busy.body).toMatchObject({ code: 'session_busy', session_id: chat.session_id, run_id })
    await chat.stop()
    const stopped = await first
    expect(stopped.status).toBe(409)
    expect(stopped.body).toMatchObject({ code: 'interrupted', session_id: chat.session_id, run_id })
  })

  test('[W11.3] 422 output_schema_unsatisfied, with the errors', async () => {
    world().learn({ unfit: () => submit({}) })
    const session_id = await world().newSession()
    const { status, body } = await chatOf(session_id, { message: 'unfit', output_schema: COUNTRIES })
    expect(status).toBe(422)
    expect(body).toMatchObject({
      code: 'output_schema_unsatisfied',
      errors: [expect.stringContaining('countries')],
      session_id,
      run_id: expect.stringMatching(/^chat_/),
    })
  })

  test.each([
    ['llm_error', { error: { status: 401 } }],
    ['llm_stream_incomplete', { text: 'Half an', hangUp: true }],
    ['context_overflow', { error: { status: 400, overflow: true } }],
    ['tool_error', { calls: [{ name: 'Break', arguments: { why: 'x' } }] }],
  ])('[W11.3] 502 %s', async (code, reply) => {
    world().learn({ [`rest ${code}`]: () => reply })
    const session_id = await world().newSession()
    const { status, body } = await chatOf(session_id, { message: `rest ${code}` })
    expect(status).toBe(502)
    expect(body).toMatchObject({
      code,
      detail: expect.any(String),
      session_id,
      run_id: expect.stringMatching(/^chat_/),
    })
  })

  test('[W11.3] 504 timeout: the run is stopped', async () => {
    world().learn({ eternal: [{ text: 'Still', hang: 'after' }] })
    await using chat = await world().chat()
    const { status, body } = await chatOf(chat.session_id, { message: 'eternal', timeout_ms: 1_000 })
    expect([status, body['code']]).toEqual([504, 'timeout'])
    const run = await chat.ended({ run_id: body['run_id'] } as never)
    expect(run.trace.at(-1)).toBe('chat:end interrupted/interrupted')
  })

  test('[W11.3] a caller that hangs up stops its run', async () => {
    world().learn({ abandoned: [{ text: 'Anybody', hang: 'after' }] })
    await using chat = await world().chat()
    const caller = new AbortController()
    const answer = chatOf(chat.session_id, { message: 'abandoned' }, caller.signal)
    await chat.told('T1 text: Anybody')
    caller.abort()
    await expect(answer).rejects.toThrow()
    await chat.told('chat:end interrupted/interrupted')
  })

  test('[W11.3] as an event stream: the same events, ending after chat:end', async () => {
    world().learn({ streamed: [{ text: 'One two three.', chunkDelayMs: 5 }] })
    await using chat = await world().chat()
    const { status, body, headers } = await world().rest<string>('POST', `/api/sessions/${chat.session_id}/chat`, {
      body: { message: 'streamed', headless: false },
      headers: { accept: 'text/event-stream' },
    })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    const events = body
      .split('\n\n')
      .filter((frame) => frame.includes('event: '))
      .map((frame) => ({
        name: /^event: (.*)$/m.exec(frame)![1]!,
        payload: JSON.parse(/^data: (.*)$/m.exec(frame)![1]!) as Record<string, unknown>,
      }))
    await chat.until('chat:end')
    expect(chat.trace(events)).toEqual(chat.trace())
    expect(events.at(-1)!.name).toBe('chat:end')
    expect(events.at(-1)!.payload['result']).toBeNull()
  })
})
