import { describe, expect, test } from 'vitest'
import { startFakeModel } from './provider.ts'
import type { FakeReply } from './provider-reply.ts'

const PATHS = { openai: '/chat/completions', anthropic: '/messages' }

function post(url: string, path: string, body: object) {
  return fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })
}

const question = (text: string) => ({ model: 'm', stream: true, messages: [{ role: 'user', content: text }] })

describe.each(Object.entries(PATHS))('over the %s wire', (wire, path) => {
  async function ask(reply: FakeReply) {
    await using provider = await startFakeModel([reply])
    const response = await post(provider.url, path, question('Hello'))
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  test('text, thinking and calls are in the stream', async () => {
    const { text } = await ask({ thinking: 'Hm', text: 'Hi there', calls: [{ name: 'Read', arguments: { a: 1 } }] })
    const events = text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
    const all = JSON.stringify(events)
    for (const piece of ['"Hm"', '"Hi"', '" there"', '"Read"', String.raw`"{\"a\":1}"`]) expect(all).toContain(piece)
    expect(all).toContain(wire === 'openai' ? '"finish_reason":"tool_calls"' : '"stop_reason":"tool_use"')
  })

  test('an error has its status, its Retry-After and the body of the provider', async () => {
    const { status, headers, text } = await ask({ error: { status: 429, retryAfter: 5 } })
    expect(status).toBe(429)
    expect(headers.get('retry-after')).toBe('5')
    expect(JSON.parse(text)).toHaveProperty('error.message')
  })

  test('a connection that hangs up has said everything before', async () => {
    await using provider = await startFakeModel([{ text: 'Paris is', hangUp: true }])
    const response = await post(provider.url, path, question('Hello'))
    let text = ''
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
    })()
    await expect(reading).rejects.toThrow()
    expect(text).toContain('Paris')
    expect(await provider.requests[0]?.closed).toBe('aborted')
  })

  test('the request is kept as bytes and as what it says', async () => {
    await using provider = await startFakeModel([{ text: 'Hi' }])
    const body = { ...question('Hello 😀'), tools: [{ name: 'Read' }, { function: { name: 'Glob' } }] }
    await (await post(provider.url, path, body)).text()
    const [request] = await provider.received(1)
    expect(request?.bytes.toString()).toBe(JSON.stringify(body))
    expect(request).toMatchObject({ number: 1, wire, model: 'm', question: 'Hello 😀', tools: ['Read', 'Glob'] })
    expect(await request?.closed).toBe('finished')
  })
})

test('a caller that leaves is seen to leave', async () => {
  await using provider = await startFakeModel([{ hang: 'before' }])
  const leaving = new AbortController()
  const asked = fetch(`${provider.url}/messages`, { method: 'POST', body: '{}', signal: leaving.signal })
  const [request] = await provider.received(1)
  leaving.abort()
  await expect(asked).rejects.toThrow()
  expect(await request?.closed).toBe('aborted')
})

test('replies come in the order of the script, whatever is added later', async () => {
  await using provider = await startFakeModel([{ text: 'one' }])
  provider.add({ text: 'two' })
  const texts = []
  for (let turn = 0; turn < 2; turn++)
    texts.push(await (await post(provider.url, '/chat/completions', question('Hello'))).text())
  expect(texts[0]).toContain('"one"')
  expect(texts[1]).toContain('"two"')
})

test('a function chooses by what is asked, and leaves the rest to the script', async () => {
  await using provider = await startFakeModel([{ text: 'scripted' }], {
    choose: ({ question }) => (question === 'known' ? { text: 'chosen' } : undefined),
  })
  const ask = async (text: string) => (await post(provider.url, '/chat/completions', question(text))).text()
  expect(await ask('known')).toContain('chosen')
  expect(await ask('unknown')).toContain('scripted')
  expect(await ask('known')).toContain('chosen')
})

test('beyond the script there is a 400 that nobody retries', async () => {
  await using provider = await startFakeModel([])
  const response = await post(provider.url, '/messages', question('Hello'))
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('no reply left')
})

test('tool results count from the last question on, over both wires', async () => {
  await using provider = await startFakeModel(() => ({ text: 'ok' }))
  const call = { id: 'c1', function: { name: 'Read', arguments: '{}' } }
  const openai = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'found' },
  ]
  const anthropic = [
    { role: 'user', content: [{ type: 'text', text: 'Go' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'Read', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'found' }] },
  ]
  await post(provider.url, '/chat/completions', { model: 'm', messages: openai })
  await post(provider.url, '/messages', { model: 'm', system: 'Be kind.', messages: anthropic })
  for (const request of await provider.received(2))
    expect(request).toMatchObject({ system: 'Be kind.', question: 'Go', results: ['found'] })
})

test('a recorded reply goes out as it is', async () => {
  await using provider = await startFakeModel([{ recorded: { contentType: 'text/html', body: ['<p>', 'Hi'] } }])
  const response = await post(provider.url, '/chat/completions', question('Hello'))
  expect(response.headers.get('content-type')).toBe('text/html')
  expect(await response.text()).toBe('<p>Hi')
})
