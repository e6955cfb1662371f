import { describe, expect, test } from 'vitest'
import type { ChatAdapter } from '../src/model/chat-adapter.ts'
import { chatKitError } from '../src/model/chat-kit-error.ts'
import type { ChatOp } from '../src/model/chat-op.ts'
import { httpError, readBody } from '../src/stream/read-answer.ts'
import { openChat, shape } from './chat.ts'
import { json, startStandIn } from './stand-in.ts'

/** Asks the server whether the token is good; the answer is the text of the message. */
function asking(url: string): ChatAdapter {
  return {
    name: 'Asking',
    isAuthError: (status, error) => status === 401 || (error as { code?: string }).code === 'expired',
    async *send(_, io): AsyncGenerator<ChatOp> {
      const response = await io.fetch(url)
      if (!response.ok) throw httpError(response.status, await readBody(response))
      yield { op: 'text', key: 't', text: await response.text() }
    },
  }
}

const onlyAccepts = (good: string) =>
  startStandIn(({ headers }, response) =>
    headers.authorization === `Bearer ${good}`
      ? void response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')
      : json(response, 401, { code: 'expired', message: 'x' }),
  )

describe('[K23.5]', () => {
  test.each([
    ['abc', 'Bearer abc'],
    ['Bearer abc', 'Bearer abc'],
    ['bearer abc', 'bearer abc'],
    ['', undefined],
  ])('[K10.1] the token %j is sent as %j', async (token, header) => {
    await using server = await startStandIn((_, response) => json(response, 200, {}))
    using chat = openChat({ adapter: asking(server.url), token })
    await chat.send('hi')
    expect(server.requests[0]?.headers.authorization).toBe(header)
  })

  test('[K10.3] refreshed once, repeated once, and kept for later requests', async () => {
    await using server = await onlyAccepts('new')
    using chat = openChat({ adapter: asking(server.url), token: 'old', refreshToken: async () => 'new' })
    expect(shape(await chat.send('hi'))).toEqual([['Markdown', 'ok']])
    await chat.send('again')
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer old',
      'Bearer new',
      'Bearer new',
    ])
    expect(chat.tokens.token()).toBe('new')
  })

  test('[K10.4] the kit gives up when the new token is refused too', async () => {
    await using server = await onlyAccepts('never')
    let refreshes = 0
    using chat = openChat({
      adapter: asking(server.url),
      token: 'old',
      refreshToken: async () => `t${(refreshes += 1)}`,
    })
    await expect(chat.send('hi')).rejects.toMatchObject({ code: 'auth', status: 401 })
    expect([refreshes, server.requests.length]).toEqual([1, 2])
  })

  test('[K21.20] a repeated call that fails otherwise reports that error', async () => {
    await using server = await startStandIn(({ headers }, response) =>
      json(response, headers.authorization === 'Bearer new' ? 503 : 401, {}),
    )
    using chat = openChat({ adapter: asking(server.url), token: 'old', refreshToken: async () => 'new' })
    await expect(chat.send('hi')).rejects.toMatchObject({ code: 'server', status: 503 })
  })

  test('[K10.5] without refreshToken, or when it is not the token, the error is reported as it is', async () => {
    await using server = await startStandIn(({ headers }, response) =>
      json(response, headers.authorization ? 500 : 401, {}),
    )
    using without = openChat({ adapter: asking(server.url) })
    await expect(without.send('hi')).rejects.toMatchObject({ code: 'auth', status: 401 })
    using other = openChat({
      adapter: asking(server.url),
      token: 't',
      refreshToken: () => Promise.reject(new Error('no')),
    })
    await expect(other.send('hi')).rejects.toMatchObject({ code: 'server', status: 500 })
    expect(server.requests).toHaveLength(2)
  })

  test.each([
    ['rejects', () => Promise.reject(new Error('gone'))],
    ['gives an empty string', async () => ''],
  ])('[K10.6] refreshToken %s: auth', async (_, refreshToken) => {
    await using server = await onlyAccepts('never')
    using chat = openChat({ adapter: asking(server.url), token: 'old', refreshToken })
    await expect(chat.send('hi')).rejects.toMatchObject({ code: 'auth' })
    expect(server.requests).toHaveLength(1)
  })

  test('[K10.7] three calls that fail together share one refresh; a stale call retries without one', async () => {
    let refreshes = 0
    const gate = Promise.withResolvers<void>()
    const refreshToken = async () => {
      refreshes += 1
      await gate.promise
      return 'new'
    }
    using chat = openChat({ adapter: asking(''), token: 'old', refreshToken })
    const inspect = async ({ status }: { status: number }) => ({ status, error: {} })
    const call = (before: Promise<unknown>) =>
      chat.tokens.call(async (token) => {
        if (token === 'old') await before
        return { status: token === 'new' ? 200 : 401 }
      }, inspect)
    const together = [1, 2, 3].map(() => call(Promise.resolve()))
    const late = call(Promise.all(together))
    await new Promise((resolve) => setImmediate(resolve))
    gate.resolve()
    expect(await Promise.all([...together, late])).toEqual([1, 2, 3, 4].map(() => ({ status: 200 })))
    expect(refreshes).toBe(1)
  })

  test('[K10.4] a body that says so under status 200 is refused twice: the kit gives up', async () => {
    await using server = await startStandIn((_, response) => json(response, 200, { code: 'expired' }))
    using chat = openChat({ adapter: asking(server.url), token: 'old', refreshToken: async () => 'new' })
    await expect(chat.send('hi')).rejects.toMatchObject({ code: 'auth', cause: { code: 'expired' } })
    expect(server.requests).toHaveLength(2)
  })

  test('[K10.8] an error event before any content repeats the request; one after content does not', async () => {
    const tokens: string[] = []
    const refused = chatKitError('auth', 'x', { status: 401, cause: { code: 'expired' } })
    const streaming = (opsBefore: ChatOp[]): ChatAdapter => ({
      name: 'Streaming',
      isAuthError: (status) => status === 401,
      async *send(_, io) {
        tokens.push(io.token())
        yield { op: 'conversation', id: 'cv' }
        yield* opsBefore
        if (io.token() === 'old') yield { op: 'error', error: refused }
        yield { op: 'text', key: 't', text: 'fine' }
      },
    })
    const options = { token: 'old', refreshToken: async () => 'new' }
    using early = openChat({ adapter: streaming([]), ...options })
    expect(shape(await early.send('hi'))).toEqual([['Markdown', 'fine']])
    expect(early.getSnapshot().messages).toHaveLength(2)
    expect(tokens.splice(0)).toEqual(['old', 'new'])
    using late = openChat({ adapter: streaming([{ op: 'text', key: 'a', text: 'shown' }]), ...options })
    await expect(late.send('hi')).rejects.toMatchObject({ code: 'auth' })
    expect(tokens).toEqual(['old'])
    expect(late.getSnapshot().messages[1]).toMatchObject({ content: [{ content: 'shown' }] })
  })

  test('[K10.9] a new token of the host counts from the next request; the same value again does not undo a refresh', async () => {
    await using server = await startStandIn(({ headers }, response) =>
      json(response, headers.authorization === 'Bearer old' ? 401 : 200, {}),
    )
    using chat = openChat({ adapter: asking(server.url), token: 'old', refreshToken: async () => 'fresh' })
    await chat.send('one')
    chat.tokens.setToken('old')
    await chat.send('two')
    chat.tokens.setToken('next')
    await chat.send('three')
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer old',
      'Bearer fresh',
      'Bearer fresh',
      'Bearer next',
    ])
  })

  test('[K18] an error’s message holds neither the token nor the request', async () => {
    await using server = await startStandIn((_, response) =>
      json(response, 500, { echo: 'secret-token and my question' }),
    )
    using chat = openChat({ adapter: asking(server.url), token: 'secret-token' })
    const error = await chat.send('my question').then(
      () => new Error('none'),
      (reason: Error) => reason,
    )
    expect(error.message).not.toMatch(/secret-token|my question/)
  })
})
