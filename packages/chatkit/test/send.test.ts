import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { ChatOp } from '../src/model/chat-op.ts'
import { chatKitError } from '../src/model/chat-kit-error.ts'
import { branchOf } from '../src/store/branches.ts'
import { atOnce, openChat, scripted, shape, until } from './chat.ts'

const text = (delta: string, key = 't'): ChatOp => ({ op: 'text_delta', key, delta })
const end: ChatOp = { op: 'end' }
const tick = () => new Promise((resolve) => setImmediate(resolve))

describe('[K23.2] steps', () => {
  test('[K5] conversation, then messages, then request, then stream, then end', async () => {
    const steps: string[] = []
    const script = scripted({
      async createConversation(_, title) {
        steps.push(`create ${title} with ${chat.getSnapshot().messages.length} messages`)
        return 'cv'
      },
    })
    const { send } = script.adapter
    script.adapter.send = (request, io) => {
      steps.push(
        `send ${request.text} in ${request.conversationID} with ${chat.getSnapshot().messages.length} messages`,
      )
      return send(request, io)
    }
    using chat = openChat({ adapter: script.adapter, schedule: atOnce })
    const statuses: unknown[] = []
    chat.subscribe(() => statuses.push(chat.getSnapshot().messages[1]?.status))
    const sent = chat.send(' hi ')
    await tick()
    await script.say(text('Hel'))
    await script.say(text('lo'), end)
    expect(await sent).toMatchObject({ status: 'completed', content: [{ type: 'Markdown', content: 'Hello' }] })
    expect(steps).toEqual(['create  hi  with 0 messages', 'send  hi  in cv with 2 messages'])
    expect([...new Set(statuses)]).toEqual([undefined, 'waiting', 'streaming', 'completed'])
    expect(chat.getSnapshot().messages[0]).toMatchObject({
      role: { type: 'User', name: 'User' },
      content: [{ type: 'Text', content: ' hi ' }],
      status: 'completed',
    })
  })

  test('[K5.1] an empty or too long text, and a context alone, are rejected and change nothing', async () => {
    using chat = openChat({ adapter: scripted().adapter, maxLength: 5 })
    const before = chat.getSnapshot()
    await expect(chat.send('  ')).rejects.toMatchObject({ code: 'empty' })
    await expect(chat.send('', { context: { title: 'T', data: 1 } })).rejects.toMatchObject({ code: 'empty' })
    await expect(chat.send('123456')).rejects.toMatchObject({ code: 'too_long' })
    expect(chat.getSnapshot()).toBe(before)
  })

  test('[K5.2] a second message is rejected as busy and changes nothing', async () => {
    const script = scripted()
    using chat = openChat({ adapter: script.adapter })
    const first = chat.send('one')
    await tick()
    const before = chat.getSnapshot()
    await expect(chat.send('two')).rejects.toMatchObject({ code: 'busy' })
    expect(chat.getSnapshot()).toBe(before)
    await script.say(end)
    await first
    expect(chat.getSnapshot().messages).toHaveLength(2)
  })

  test('[K5.2] a queue keeps the order, holds five, and gives entries back', async () => {
    const script = scripted()
    using chat = openChat({ adapter: script.adapter, whileStreaming: 'queue' })
    const first = chat.send('0')
    const queued = ['1', '2', '3', '4', '5'].map((text) => chat.send(text))
    await expect(chat.send('6')).rejects.toMatchObject({ code: 'busy' })
    const removed = chat.getSnapshot().queue[1]!
    chat.removeQueued(removed.id)
    await expect(queued[1]).rejects.toMatchObject({ code: 'aborted' })
    for (let run = 0; run < 5; run++) {
      await tick()
      await script.say(end)
    }
    await Promise.all([first, queued[0], queued[2], queued[3], queued[4]])
    expect(script.calls.map(([, request]) => (request as { text: string }).text)).toEqual(['0', '1', '3', '4', '5'])
    expect(chat.getSnapshot().queue).toEqual([])
  })

  test('[K5.2] interrupt stops the run first', async () => {
    const script = scripted()
    using chat = openChat({ adapter: script.adapter, whileStreaming: 'interrupt', schedule: atOnce })
    const first = chat.send('one')
    await tick()
    await script.say(text('Half'))
    const second = chat.send('two')
    expect(await first).toMatchObject({ status: 'stopped', content: [{ content: 'Half' }] })
    await tick()
    await script.say(text('Whole'), end)
    expect(await second).toMatchObject({ status: 'completed', content: [{ content: 'Whole' }] })
  })

  test('[K5.3] context precedence: parameter, injected, default, none', async () => {
    const script = scripted()
    const seen: unknown[] = []
    script.adapter.send = async function* ({ context }): AsyncGenerator<ChatOp> {
      seen.push(context?.title)
      yield end
    }
    const injected = { title: 'injected', data: { deep: [1] } }
    using chat = openChat({ adapter: script.adapter })
    await chat.send('a')
    chat.setDefaultApplicationContext({ title: 'default', data: 0 })
    await chat.send('b')
    chat.injectApplicationContext(injected)
    await chat.send('c')
    await chat.send('d', { context: { title: 'given', data: 0 } })
    expect(chat.getSnapshot().applicationContext).toEqual({ title: 'given', data: 0 })
    await chat.send('e')
    chat.removeApplicationContext()
    await chat.send('f')
    expect(seen).toEqual([undefined, 'default', 'injected', 'given', 'given', 'default'])
    injected.data.deep[0] = 2
    expect(chat.getSnapshot().messages[4]?.applicationContext).toEqual({ title: 'injected', data: { deep: [1] } })
    expect(chat.getSnapshot().messages[0]).not.toHaveProperty('applicationContext')
  })

  test('[K5.3] data that cannot be cloned goes as JSON', async () => {
    const script = scripted()
    script.adapter.send = async function* () {}
    using chat = openChat({ adapter: script.adapter })
    await chat.send('a', { context: { title: 'T', data: { run: () => 1, n: 1 } } })
    expect(chat.getSnapshot().messages[0]?.applicationContext).toEqual({ title: 'T', data: { n: 1 } })
  })

  test('[K5.4] id precedence: parameter, property, create; another id switches and loads', async () => {
    const created: unknown[] = []
    const script = scripted({
      createConversation: async (_, title) => `cv${created.push(title)}`,
      history: {
        list: async () => [],
        remove: async () => {},
        load: async (id) => [{ messageId: `${id}-1`, role: { name: '', type: 'User', avatar: '' }, content: [] }],
      },
    })
    const asked: unknown[] = []
    script.adapter.send = async function* ({ conversationID, messages }): AsyncGenerator<ChatOp> {
      asked.push([conversationID, messages.length])
      yield end
    }
    using chat = openChat({ adapter: script.adapter })
    await chat.send('x'.repeat(150))
    await chat.send('b')
    await chat.send('c', { conversationID: 'other' })
    await chat.send('d')
    expect(asked).toEqual([
      ['cv1', 1],
      ['cv1', 3],
      ['other', 2],
      ['other', 4],
    ])
    expect(created).toEqual(['x'.repeat(100)])
    expect(chat.getSnapshot().messages[0]).toMatchObject({ messageID: 'other-1', messageId: 'other-1' })
  })

  test('[K5.4] a conversation that cannot be created fails the run where it can be seen', async () => {
    const onError = vi.fn<(error: unknown) => void>()
    const script = scripted({ createConversation: () => Promise.reject(chatKitError('network', 'down')) })
    using chat = openChat({ adapter: script.adapter, onError })
    await expect(chat.send('hi')).rejects.toMatchObject({ code: 'network' })
    expect(chat.getSnapshot().messages).toMatchObject([
      { content: [{ content: 'hi' }] },
      { status: 'failed', error: { code: 'network' } },
    ])
    expect(onError).toHaveBeenCalledTimes(1)
    expect(script.calls).toEqual([])
  })

  test('[K5.5] the input box is emptied only by its own text', async () => {
    const script = scripted()
    script.adapter.send = async function* () {}
    using chat = openChat({ adapter: script.adapter })
    chat.setTextInput('typed')
    await chat.send('other')
    expect(chat.getSnapshot().textInput).toBe('typed')
    await chat.send('typed', { fromInput: true })
    expect(chat.getSnapshot().textInput).toBe('')
  })

  test('[K6.4] a learned message id renames the answer and keeps its place in lists', async () => {
    const script = scripted()
    using chat = openChat({ adapter: script.adapter, schedule: atOnce })
    const sent = chat.send('hi')
    await tick()
    const before = chat.getSnapshot().messages[1]!
    await script.say({ op: 'conversation', id: 'cv' }, { op: 'message', id: 'm1' }, text('a'))
    await script.say({ op: 'conversation', id: 'cv2' }, text('b'), end)
    expect(await sent).toMatchObject({
      messageID: 'm1',
      messageId: 'm1',
      localID: before.localID,
      content: [{ content: 'ab' }],
    })
    expect(chat.getSnapshot().conversationID).toBe('cv')
  })
})

describe('[K23.2] runs end cleanly', () => {
  test('[K5] dispose mid-stream aborts the request and sets no state', async () => {
    const script = scripted()
    const chat = openChat({ adapter: script.adapter, schedule: atOnce })
    const sent = chat.send('hi')
    await tick()
    await script.say(text('a'))
    const before = chat.getSnapshot()
    const changes = vi.fn<() => void>()
    chat.subscribe(changes)
    chat.dispose()
    await script.say(text('b'), end)
    await sent
    expect(chat.getSnapshot()).toBe(before)
    expect(changes).not.toHaveBeenCalled()
    expect(script.aborted()).toBe(1)
  })

  test('[K5] late events of an old run change nothing', async () => {
    const script = scripted()
    let isFirst = true
    const release = Promise.withResolvers<void>()
    const { send } = script.adapter
    script.adapter.send = (request, io) => {
      if (!isFirst) return send(request, io)
      isFirst = false
      return (async function* (): AsyncGenerator<ChatOp> {
        yield text('old')
        await release.promise
        yield text('late', 'late')
        yield { op: 'conversation', id: 'late' }
        yield { op: 'error', error: chatKitError('server', 'late') }
      })()
    }
    using chat = openChat({ adapter: script.adapter, schedule: atOnce })
    const first = chat.send('one')
    await until(chat, ({ status }) => status === 'streaming')
    await chat.stop()
    await first
    const second = chat.send('two')
    await tick()
    release.resolve()
    await script.say(text('new'), end)
    await second
    expect(chat.getSnapshot().messages.map(shape)).toEqual([
      [['Text', 'one']],
      [['Markdown', 'old']],
      [['Text', 'two']],
      [['Markdown', 'new']],
    ])
    expect(chat.getSnapshot().conversationID).toBe('')
  })

  test('[K5] stop tells the back end, waits at most three seconds for it, and closes open calls', async () => {
    const stopped: unknown[] = []
    const script = scripted({
      stop: (run) => {
        stopped.push(run)
        return new Promise(() => {})
      },
    })
    using chat = openChat({ adapter: script.adapter, schedule: atOnce, conversationID: 'cv' })
    const sent = chat.send('hi')
    await tick()
    const tool = { type: 'Tool', key: 'k', content: { name: 'f', title: 'f', status: 'pending' } }
    await script.say({ op: 'handle', value: 7 }, { op: 'block', block: tool })
    vi.useFakeTimers()
    const stopping = chat.stop()
    expect(chat.getSnapshot()).toMatchObject({ status: 'idle', run: null })
    await vi.advanceTimersByTimeAsync(3000)
    vi.useRealTimers()
    await stopping
    expect(stopped).toEqual([{ conversationID: 'cv', handle: 7 }])
    expect(await sent).toMatchObject({ status: 'stopped', content: [{ content: { status: 'cancelled' } }] })
  })

  test('[K18] a run that hears nothing for idleTimeoutMs fails with timeout; signs of life count', async () => {
    vi.useFakeTimers()
    let beat = () => {}
    const script = scripted()
    script.adapter.send = async function* (_, io): AsyncGenerator<ChatOp> {
      beat = io.alive
      yield text('a')
      await new Promise(() => {})
    }
    using chat = openChat({ adapter: script.adapter, idleTimeoutMs: 100 })
    const sent = chat.send('hi')
    sent.catch(() => {})
    await vi.advanceTimersByTimeAsync(90)
    beat()
    await vi.advanceTimersByTimeAsync(90)
    expect(chat.getSnapshot().status).toBe('streaming')
    await vi.advanceTimersByTimeAsync(10)
    vi.useRealTimers()
    await expect(sent).rejects.toMatchObject({ code: 'timeout' })
    expect(chat.getSnapshot().messages[1]).toMatchObject({ status: 'failed', content: [{ content: 'a' }] })
  })

  test('[law] cancelled anywhere, in any way, the state is consistent and the text a beginning of the answer', async () => {
    const ops: ChatOp[] = [
      { op: 'conversation', id: 'cv' },
      { op: 'message', id: 'm1' },
      { op: 'reasoning_delta', key: 'r', delta: 'hm' },
      text('He'),
      text('llo'),
      { op: 'block', block: { type: 'Tool', key: 'k', content: { name: 'f', title: 'f', status: 'pending' } } },
      text('!', 'u'),
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.nat(ops.length),
        fc.constantFrom('stop', 'create', 'clear', 'dispose', 'fail', 'end'),
        fc.boolean(),
        async (cut, way, isBatched) => {
          const script = scripted()
          using chat = openChat({ adapter: script.adapter, schedule: isBatched ? () => () => {} : atOnce })
          const sent = chat.send('hi')
          sent.catch(() => {})
          await tick()
          await script.say(...ops.slice(0, cut))
          if (way === 'stop') await chat.stop()
          if (way === 'create') await chat.createConversation()
          if (way === 'clear') chat.clearConversation()
          if (way === 'dispose') chat.dispose()
          if (way === 'fail') await script.say({ op: 'error', error: chatKitError('server', 'x') })
          if (way === 'end') await script.say(end)
          const settled = chat.getSnapshot()
          await script.say(...ops.slice(cut), end)
          await Promise.allSettled([sent])
          expect(chat.getSnapshot()).toBe(settled)
          if (way === 'dispose') return
          expect(settled).toMatchObject({ run: null, status: 'idle' })
          if (way === 'create' || way === 'clear') {
            expect(settled).toMatchObject({ messages: [], conversationID: '' })
            return
          }
          const [, answer] = settled.messages
          expect(answer?.status).toBe({ stop: 'stopped', fail: 'failed', end: 'completed' }[way])
          const said = answer!.content.filter(({ type }) => type === 'Markdown').map(({ content }) => content as string)
          expect('Hello!'.startsWith(said.join(''))).toBe(true)
          expect(JSON.stringify(answer)).not.toContain('pending')
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('[K12] asking again', () => {
  const answering = () => {
    let count = 0
    const script = scripted()
    script.adapter.send = async function* (request): AsyncGenerator<ChatOp> {
      script.calls.push([request.text, request.regenerate, request.messages.length, request.context?.title])
      count += 1
      yield { op: 'message', id: `m${count}` }
      yield text(`answer ${count}`)
    }
    return script
  }

  test('[K23.2] regenerate adds no user message and keeps the old answer as a branch', async () => {
    const script = answering()
    using chat = openChat({ adapter: script.adapter })
    await chat.send('hi', { context: { title: 'T', data: 1 } })
    chat.removeApplicationContext()
    await chat.regenerate('m1')
    expect(script.calls).toEqual([
      ['hi', undefined, 1, 'T'],
      ['hi', 'm1', 1, 'T'],
    ])
    const now = () => chat.getSnapshot()
    expect(now().messages.map(shape)).toEqual([[['Text', 'hi']], [['Markdown', 'answer 2']]])
    expect(branchOf(now(), 'm2')).toEqual({ current: 2, count: 2 })
    chat.selectBranch('m2', 0)
    expect(now().messages.map(shape)).toEqual([[['Text', 'hi']], [['Markdown', 'answer 1']]])
    expect(branchOf(now(), 'm1')).toEqual({ current: 1, count: 2 })
    await expect(chat.regenerate(now().messages[0]!.messageID)).rejects.toMatchObject({ code: 'unsupported' })
  })

  test('[K12.3] editing a message opens a branch from there; each branch keeps what followed', async () => {
    const script = answering()
    using chat = openChat({ adapter: script.adapter })
    await chat.send('one')
    await chat.send('two')
    const first = chat.getSnapshot().messages[0]!
    await chat.edit(first.messageID, 'uno')
    expect(chat.getSnapshot().messages.map(shape)).toEqual([[['Text', 'uno']], [['Markdown', 'answer 3']]])
    expect(script.calls.at(-1)).toEqual(['uno', undefined, 1, undefined])
    chat.selectBranch(chat.getSnapshot().messages[0]!.messageID, 0)
    expect(chat.getSnapshot().messages).toHaveLength(4)
    expect(chat.getSnapshot().messages[0]).toBe(first)
  })

  test('[K12.3] a failed attempt that showed nothing leaves no branch', async () => {
    const script = answering()
    const { send } = script.adapter
    let isDown = true
    script.adapter.send = (request, io) => {
      if (!isDown) return send(request, io)
      isDown = false
      throw chatKitError('network', 'down')
    }
    using chat = openChat({ adapter: script.adapter })
    await expect(chat.send('hi')).rejects.toMatchObject({ code: 'network' })
    await chat.regenerate(chat.getSnapshot().messages[1]!.messageID)
    expect(chat.getSnapshot().messages.map(shape)).toEqual([[['Text', 'hi']], [['Markdown', 'answer 1']]])
    expect(branchOf(chat.getSnapshot(), 'm1')).toBeUndefined()
  })
})

describe('[K3.1] snapshots', () => {
  test('what did not change keeps its identity, and many ops make one change', async () => {
    const script = scripted()
    using chat = openChat({ adapter: script.adapter })
    const sent = chat.send('hi')
    await tick()
    await script.say(text('a', 'one'), text('b', 'two'))
    const before = await until(chat, ({ status }) => status === 'streaming')
    const changes = vi.fn<() => void>()
    chat.subscribe(changes)
    await script.say(...Array.from({ length: 500 }, () => text('x', 'two')))
    const after = await until(chat, ({ messages }) => messages[1]!.content[1]!.content !== 'b')
    expect(changes.mock.calls.length).toBeLessThan(5)
    expect(after.messages[0]).toBe(before.messages[0])
    expect(after.messages[1]?.content[0]).toBe(before.messages[1]?.content[0])
    expect(after.messages[1]?.content[1]).not.toBe(before.messages[1]?.content[1])
    await script.say(end)
    await sent
  })

  test('what arrived before an event is part of the state the event meets', async () => {
    const script = scripted()
    using chat = openChat({ adapter: script.adapter, schedule: () => () => {} })
    const sent = chat.send('hi')
    await tick()
    await script.say(text('early'))
    expect(chat.getSnapshot().messages[1]?.content).toEqual([])
    chat.setTextInput('x')
    expect(shape(chat.getSnapshot().messages[1])).toEqual([['Markdown', 'early']])
    await script.say(end)
    await sent
  })
})
