import { describe, expect, test, vi } from 'vitest'
import { ChatKitBase } from '../src/class/chat-kit-base.ts'
import type { ChatKitInterface } from '../src/class/chat-kit-interface.ts'
import type { ChatKitProps } from '../src/class/chat-kit-props.ts'
import type { ApplicationContext, EventStreamMessage, OnboardingInfo } from '../src/model/application-context.ts'
import { BlockType } from '../src/model/block-type.ts'
import type { ChatMessage } from '../src/model/chat-message.ts'
import type { MarkdownBlock } from '../src/model/content-block.ts'
import { ChatKitCoze } from '../src/class/ready-classes.ts'
import { RoleType } from '../src/model/role.ts'
import { shape } from './chat.ts'
import { json, startStandIn, stream, trickle } from './stand-in.ts'

/** Written from the specification's section 4, word for word. */
class ChatKitSimple extends ChatKitBase<EventStreamMessage, string> {
  protected getOnboardingInfo() {
    return { prologue: 'Hello.', predefinedQuestions: ['What can you do?'] }
  }
  protected async generateConversation() {
    return ((await (await this.request('/conversations', { method: 'POST' })).json()) as { id: string }).id
  }
  protected async sendMessage(text: string, ctx?: ApplicationContext, conversationID?: string) {
    return this.runStream(
      await this.request('/chat', { method: 'POST', body: JSON.stringify({ text, ctx, conversationID }) }),
    )
  }
  protected reduceAssistantMessage(event: EventStreamMessage, prev = '') {
    return event.event === 'delta' ? prev + (JSON.parse(event.data) as { text: string }).text : prev
  }
  protected override renderAssistantMessage(text: string) {
    this.appendTextBlock(text)
  }
  protected shouldRefreshToken(status: number) {
    return status === 401
  }
}

/** Written from the specification alone: values instead of promises, methods made public, render methods inside the reducer. */
class FromTheSeed
  extends ChatKitBase<EventStreamMessage, { text: string }>
  implements ChatKitInterface<EventStreamMessage, { text: string }>
{
  events: EventStreamMessage[] = []
  public getOnboardingInfo(): OnboardingInfo {
    return { prologue: 'Hi', predefinedQuestions: [] }
  }
  public generateConversation(): string {
    return 'cv_seed'
  }
  public async sendMessage(text: string, _ctx?: ApplicationContext, _conversationID?: string): Promise<ChatMessage> {
    const body = new Response(this.events.map(({ event, data }) => `event: ${event}\ndata: ${data}\n\n`).join('')).body!
    await this.handleStreamResponse(body.getReader(), text)
    return { messageID: 'done', role: { name: 'AI 助手', type: RoleType.Assistant, avatar: '' }, content: [] }
  }
  public reduceAssistantMessage(
    eventMessage: EventStreamMessage,
    prev: { text: string } = { text: '' },
  ): { text: string } {
    if (eventMessage.event === 'boom') throw new Error('cannot read this')
    if (eventMessage.event === 'search')
      this.appendWebSearchBlock(JSON.parse(eventMessage.data) as { input: string; results: [] })
    if (eventMessage.event === 'tool') this.appendToolBlock({ id: 'k', name: 'f', title: 'f', status: 'done' })
    if (eventMessage.event === 'new') return { text: '' }
    if (eventMessage.event !== 'text') return prev
    const next = { text: prev.text + eventMessage.data }
    this.appendTextBlock(next.text)
    return next
  }
  public shouldRefreshToken(_status: number, _error: object): boolean {
    return false
  }
}

const mounted = <Kit extends ChatKitBase<never, never>>(kit: Kit): Kit & Disposable => {
  kit.componentDidMount()
  return Object.assign(kit, { [Symbol.dispose]: () => kit.componentWillUnmount() })
}
const seedKit = (events: Array<[string, string]>, props: ChatKitProps = {}) => {
  const kit = new FromTheSeed(props)
  kit.events = events.map(([event, data]) => ({ event, data }))
  return mounted(kit as unknown as ChatKitBase<never, never>) as unknown as FromTheSeed & Disposable
}
const open = (props: ChatKitProps) =>
  mounted(new ChatKitSimple(props) as unknown as ChatKitBase<never, never>) as unknown as ChatKitSimple & Disposable
const delta = (text: string) => `event: delta\ndata: ${JSON.stringify({ text })}\n\n`

describe('[K23.1]', () => {
  test('[K2.1] the enums work as values and as types, with both spellings', () => {
    const block: MarkdownBlock = { type: BlockType.Markdown, content: 'x' }
    const kind: BlockType.Markdown = BlockType.MARKDOWN
    const role: RoleType.User = RoleType.USER
    expect([block.type, kind, role, BlockType.WEB_SEARCH, BlockType.TEXT, RoleType.ASSISTANT]).toEqual([
      'Markdown',
      'Markdown',
      'User',
      'WebSearch',
      'Text',
      'Assistant',
    ])
  })

  test('[K1] an incomplete subclass names what is missing', () => {
    class Half extends (ChatKitBase as unknown as new (props: ChatKitProps) => object) {
      getOnboardingInfo() {}
      sendMessage() {}
    }
    expect(() => new Half({})).toThrow(/Half.*generateConversation, reduceAssistantMessage, shouldRefreshToken/)
  })

  test('[K4] the complete subclass of the specification works against a server', async () => {
    await using server = await startStandIn(({ path }, response) =>
      path === '/conversations' ? json(response, 200, { id: 'cv1' }) : trickle(response, delta('水在') + delta('结冰')),
    )
    using kit = open({ baseUrl: server.url, token: 't' })
    const answer: unknown = await kit.send('问', { title: 'T', data: 1 })
    expect(answer).toMatchObject({ status: 'completed', content: [{ type: 'Markdown', content: '水在结冰' }] })
    expect(kit).toMatchObject({ conversationID: 'cv1', token: 't', textInput: '', applicationContext: { title: 'T' } })
    expect(kit.messages.map(({ messageID, messageId }) => messageID === messageId)).toEqual([true, true])
    expect(server.requests[1]).toMatchObject({
      headers: { authorization: 'Bearer t' },
      body: { text: '问', ctx: { title: 'T', data: 1 }, conversationID: 'cv1' },
    })
  })

  test('[K10] the class API refreshes its token once and repeats', async () => {
    await using server = await startStandIn(({ headers, path }, response) => {
      if (headers.authorization !== 'Bearer new') return json(response, 401, {})
      return path === '/conversations' ? json(response, 200, { id: 'cv' }) : trickle(response, delta('ok'))
    })
    using kit = open({ baseUrl: server.url, token: 'old', refreshToken: async () => 'new' })
    await kit.send('hi')
    expect(kit.token).toBe('new')
    expect(server.requests).toHaveLength(3)
    expect(kit.messages).toHaveLength(2)
  })

  test('[K22.1] the accumulator starts as undefined, not as an object that shows', async () => {
    using kit = seedKit([
      ['text', 'a'],
      ['text', 'b'],
    ])
    await kit.send('hi')
    expect(shape(kit.messages[1])).toEqual([['Markdown', 'ab']])
    expect(kit.conversationID).toBe('cv_seed')
  })
})

describe('[K23.4] through the class API', () => {
  test('[K7.2] text, tool, text are three blocks; a search is upserted by its input', async () => {
    const search = (results: unknown[]): [string, string] => ['search', JSON.stringify({ input: 'q', results })]
    using kit = seedKit([
      ['text', 'a'],
      ['tool', ''],
      ['new', ''],
      ['text', 'b'],
      search([]),
      search([{ title: 'T' }]),
      ['new', ''],
      ['text', 'c'],
    ])
    await kit.send('hi')
    expect(shape(kit.messages[1])).toEqual([
      ['Markdown', 'a'],
      ['Tool', { id: 'k', name: 'f', title: 'f', status: 'done' }],
      ['Markdown', 'b'],
      ['WebSearch', { input: 'q', results: [{ title: 'T' }] }],
      ['Markdown', 'c'],
    ])
  })

  test('[K7.2] a shorter text replaces; a new key starts a new segment; the published rule goes on with a beginning', async () => {
    class Calls extends FromTheSeed {
      override async sendMessage(): Promise<ChatMessage> {
        this.appendTextBlock('')
        this.appendTextBlock('long')
        this.appendTextBlock('x')
        this.appendTextBlock('second', { key: '2', consumeTime: 5 })
        this.appendMarkdownBlock('m', 'second part')
        this.appendMarkdownBlock('m', 'third')
        this.appendReasoningBlock('hm')
        this.appendDefaultToolBlock('m', 'f', { title: 'F', input: 1, output: undefined })
        this.updateDefaultToolBlockResult('m', 'f', { title: 'F', input: 1, output: 2 }, 7)
        return { messageID: 'x', role: { name: '', type: RoleType.Assistant, avatar: '' }, content: [] }
      }
    }
    using kit = mounted(new Calls({}) as unknown as ChatKitBase<never, never>)
    await kit.send('hi')
    expect(shape(kit.messages[1])).toMatchObject([
      ['Markdown', 'x'],
      ['Markdown', 'second part'],
      ['Markdown', 'third'],
      ['Reasoning', { text: 'hm' }],
      ['Tool', { name: 'f', title: 'F', output: 2, status: 'done', durationMs: 7 }],
    ])
  })

  test('[K7.1] without an active run a render method does nothing and warns', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    class Eager extends FromTheSeed {
      early() {
        this.appendTextBlock('x')
      }
    }
    const kit = new Eager({})
    kit.early()
    expect(kit.messages).toEqual([])
    expect(warn).toHaveBeenCalledTimes(1)
    warn.mockRestore()
  })
})

describe('[K23.3] through the class API', () => {
  test('[K6.3] an exception in the reducer fails the run with protocol; what was shown stays', async () => {
    using kit = seedKit([
      ['text', 'shown'],
      ['boom', ''],
      ['text', 'never'],
    ])
    await expect(kit.send('hi')).rejects.toMatchObject({ code: 'protocol', cause: { message: 'cannot read this' } })
    expect(kit.messages[1]).toMatchObject({ status: 'failed', content: [{ content: 'shown' }] })
  })

  test('[K6.3] the reducer is called with equal results for equal arguments, with nothing mounted', () => {
    const reduce = (prev?: string) =>
      (new ChatKitSimple({}) as unknown as ChatKitInterface<EventStreamMessage, string>).reduceAssistantMessage(
        { event: 'delta', data: '{"text":"b"}' },
        prev as string,
      )
    expect(reduce('a')).toBe('ab')
    expect(reduce('a')).toBe(reduce('a'))
    expect(reduce()).toBe('b')
  })

  test('[K5.9] a back end without streaming: the resolved message is shown', async () => {
    class Whole extends FromTheSeed {
      override async sendMessage(): Promise<ChatMessage> {
        this.appendTextBlock('')
        return {
          messageID: 'x',
          role: { name: '', type: RoleType.Assistant, avatar: '' },
          content: [{ type: BlockType.Markdown, content: 'All at once' }],
        }
      }
    }
    using kit = mounted(new Whole({}) as unknown as ChatKitBase<never, never>)
    await kit.send('hi')
    expect(shape(kit.messages[1])).toEqual([['Markdown', 'All at once']])
  })

  describe('[K21.6] sendMessage() that resolves with what was sent', () => {
    const sent = (text: string): ChatMessage => ({
      messageID: 'sent',
      role: { name: 'me', type: RoleType.User, avatar: '' },
      content: [{ type: BlockType.Text, content: text }],
    })
    const eventsOf = (response: Response) => response.body!.getReader()

    /** In turn: waits, does not wait for its stream, fetches by itself and waits for nothing. */
    const ways: Array<[string, (kit: FromTheSeed, url: string) => Promise<unknown>]> = [
      ['after its stream', async (kit, url) => kit['runStream'](await kit['request'](url))],
      ['before its stream has ended', async (kit, url) => void kit['runStream'](await kit['request'](url))],
      [
        'before its request was answered',
        async (kit, url) => void kit['request'](url).then((response) => kit['runStream'](response)),
      ],
      [
        'before a request of its own was answered',
        async (kit, url) => void fetch(url).then((response) => kit['handleStreamResponse'](eventsOf(response))),
      ],
    ]

    test.each(ways)('%s shows the whole answer and nothing of the question', async (_when, begin) => {
      const text = 'event: text\ndata: Paris \n\nevent: text\ndata: is it\n\n'
      await using server = await startStandIn((_, response) => trickle(response, text))
      class Early extends FromTheSeed {
        override async sendMessage(question: string): Promise<ChatMessage> {
          await begin(this, server.url)
          return sent(question)
        }
      }
      using kit = mounted(new Early({}) as unknown as ChatKitBase<never, never>)
      await kit.send('capital?')
      expect(kit.messages[1]).toMatchObject({ status: 'completed' })
      expect(shape(kit.messages[1])).toEqual([['Markdown', 'Paris is it']])
    })

    test('and whose stream then fails, fails the run', async () => {
      await using server = await startStandIn((_, response) => json(response, 503, {}))
      class Early extends FromTheSeed {
        override async sendMessage(question: string): Promise<ChatMessage> {
          this.request(server.url).catch(() => {})
          return sent(question)
        }
      }
      using kit = mounted(new Early({}) as unknown as ChatKitBase<never, never>)
      await expect(kit.send('capital?')).rejects.toMatchObject({ code: 'server', status: 503 })
      expect(shape(kit.messages[1])).toEqual([])
    })
  })

  test.each<[string, () => unknown, object]>([
    ['a status of 401', () => Object.assign(new Error('no'), { status: 401 }), { code: 'auth', status: 401 }],
    ['a status of 403', () => Object.assign(new Error('no'), { status: 403 }), { code: 'forbidden', retryable: false }],
    ['a response of 404', () => new Response('', { status: 404 }), { code: 'not_found', status: 404 }],
    ['axios’ 429', () => Object.assign(new Error('no'), { response: { status: 429 } }), { code: 'rate_limited' }],
    ['a status of 500', () => Object.assign(new Error('no'), { statusCode: 500 }), { code: 'server', retryable: true }],
    ['axios’ lost connection', () => Object.assign(new Error('no'), { code: 'ERR_NETWORK' }), { code: 'network' }],
    ['an abort', () => new DOMException('no', 'AbortError'), { code: 'aborted' }],
    ['a timeout', () => new DOMException('no', 'TimeoutError'), { code: 'timeout', retryable: true }],
    ['a mistake in the code', () => new TypeError('x is not a function'), { code: 'protocol' }],
    ['nothing at all', () => undefined, { code: 'protocol' }],
  ])('[K18] what sendMessage() throws has the code of the ready adapters: %s', async (_what, thrown, expected) => {
    class Failing extends FromTheSeed {
      override async sendMessage(): Promise<ChatMessage> {
        throw thrown()
      }
    }
    using kit = mounted(new Failing({}) as unknown as ChatKitBase<never, never>)
    await expect(kit.send('hi')).rejects.toMatchObject(expected)
    expect(kit.messages[1]).toMatchObject({ status: 'failed', error: expected })
  })

  test('[K18] a server that nobody answers at is a network error, also to a fetch of one’s own', async () => {
    class Unreachable extends FromTheSeed {
      override async sendMessage(): Promise<ChatMessage> {
        await fetch('http://127.0.0.1:1/')
        throw new Error('reached')
      }
    }
    using kit = mounted(new Unreachable({}) as unknown as ChatKitBase<never, never>)
    await expect(kit.send('hi')).rejects.toMatchObject({ code: 'network', retryable: true })
  })

  test('[K6.4] ids learned in the stream are adopted', async () => {
    class Learning extends FromTheSeed {
      override generateConversation() {
        return ''
      }
      override reduceAssistantMessage(event: EventStreamMessage, prev = { text: '' }) {
        this.adoptConversationID('cv7')
        this.adoptMessageID('m7')
        return super.reduceAssistantMessage(event, prev)
      }
    }
    const kit = new Learning({})
    kit.events = [{ event: 'text', data: 'x' }]
    await kit.send('hi')
    expect(kit.conversationID).toBe('cv7')
    expect(kit.messages[1]).toMatchObject({ messageID: 'm7', content: [{ content: 'x' }] })
  })
})

describe('[K23.1] life', () => {
  test('[K8] mounted, unmounted and mounted again at once, as StrictMode does, one conversation is created', async () => {
    const create = vi.fn<() => string>(() => 'cv')
    class Counting extends FromTheSeed {
      override generateConversation() {
        return create()
      }
    }
    const kit = new Counting({ conversationStart: 'eager' })
    kit.componentDidMount()
    kit.componentWillUnmount()
    kit.componentDidMount()
    await vi.waitFor(() => expect(kit.conversationID).toBe('cv'))
    expect(create).toHaveBeenCalledTimes(1)
    kit.componentWillUnmount()
  })

  test('[K5] unmounting mid-stream aborts the request', async () => {
    const closed = Promise.withResolvers<void>()
    await using server = await startStandIn(({ path }, response) => {
      if (path === '/conversations') return json(response, 200, { id: 'cv' })
      response.on('close', () => closed.resolve())
      stream(response, delta('Half'))
    })
    const kit = open({ baseUrl: server.url })
    void kit.send('hi')
    await vi.waitFor(() => expect(kit.store.getSnapshot().status).toBe('streaming'))
    kit.componentWillUnmount()
    await closed.promise
  })

  test('[K3.1] the initial question is sent once, when first visible', async () => {
    using kit = seedKit([['text', 'a']], { initialQuestion: 'Hello?', visible: false })
    expect(kit.messages).toEqual([])
    Object.assign(kit, { props: { ...kit.props, visible: true } })
    kit.componentDidUpdate()
    kit.componentDidUpdate()
    await vi.waitFor(() => expect(kit.messages[1]).toMatchObject({ status: 'completed' }))
    kit.componentDidUpdate()
    expect(kit.messages.map(shape)).toEqual([[['Text', 'Hello?']], [['Markdown', 'a']]])
    await kit.createConversation()
    kit.componentDidUpdate()
    await new Promise((resolve) => setImmediate(resolve))
    expect(kit.messages).toEqual([])
  })

  test('[K4] optional methods exist by presence', () => {
    class WithHistory extends FromTheSeed {
      override getConversations() {
        return Promise.resolve([])
      }
    }
    expect(new FromTheSeed({}).store.adapter.history).toBeUndefined()
    expect(new FromTheSeed({}).store.adapter.stop).toBeUndefined()
    expect(new WithHistory({}).store.adapter.history).toBeDefined()
  })
})

describe('[K1] ready classes', () => {
  const C = (name: string, data: object) => `event:${name}\ndata:${JSON.stringify(data)}\n\n`
  const answer =
    C('conversation.chat.created', { id: 'ch', conversation_id: 'cv' }) +
    C('conversation.message.completed', { id: 'm1', type: 'answer', content: 'Hi', content_type: 'text' }) +
    C('conversation.chat.completed', { usage: { token_count: 3 } }) +
    'event:done\ndata:"[DONE]"\n\n'

  test('[K13] ChatKitCoze is mounted with props and runs the adapter', async () => {
    await using server = await startStandIn(({ path }, response) =>
      path === '/v3/chat' ? trickle(response, answer) : json(response, 200, { code: 0, data: { id: '' } }),
    )
    using kit = mounted(
      new ChatKitCoze({ botId: 'b', baseUrl: server.url, token: 't' }) as unknown as ChatKitBase<never, never>,
    )
    await kit.send('hi')
    expect(kit.messages[1]).toMatchObject({ messageID: 'm1', messageContext: { totalTokens: 3 } })
    expect(kit.conversationID).toBe('cv')
    expect(kit.store.adapter.history).toBeDefined()
  })

  test('[K4] what a subclass of a ready class overrides is used', async () => {
    class Own extends ChatKitCoze {
      protected override getOnboardingInfo() {
        return Promise.resolve({ prologue: 'Mine', predefinedQuestions: [] })
      }
      protected override generateConversation() {
        return Promise.resolve('mine')
      }
      protected override async sendMessage(text: string): Promise<ChatMessage> {
        this.appendTextBlock(`echo ${text}`)
        return { messageID: '', role: { name: '', type: RoleType.Assistant, avatar: '' }, content: [] }
      }
    }
    using kit = mounted(new Own({ botId: 'b' }) as unknown as ChatKitBase<never, never>)
    await kit.send('hi')
    await kit.store.initialise()
    expect(shape(kit.messages[1])).toEqual([['Markdown', 'echo hi']])
    expect(kit.conversationID).toBe('mine')
    await vi.waitFor(() => expect(kit.store.getSnapshot().onboarding.info?.prologue).toBe('Mine'))
  })

  test('[K6.3] its reducer is pure and folds events into what is shown', () => {
    const { reduceAssistantMessage } = ChatKitCoze.prototype as unknown as ChatKitInterface<
      EventStreamMessage,
      { message: ChatMessage } | undefined
    >
    const kit = new ChatKitCoze({ botId: 'b' })
    const event = {
      event: 'conversation.message.delta',
      data: '{"id":"m","type":"answer","content_type":"text","content":"a"}',
    }
    const reduce = (prev: { message: ChatMessage } | undefined) => reduceAssistantMessage.call(kit, event, prev)
    expect(reduce(undefined)).toEqual(reduce(undefined))
    expect(shape(reduce(reduce(undefined))?.message)).toEqual([['Markdown', 'aa']])
  })
})

test('[K1] importing and rendering on a server does not throw, and no token is in the page', async () => {
  const { renderToString } = await import('react-dom/server')
  const { createElement } = await import('react')
  const html = renderToString(createElement(ChatKitSimple as never, { token: 'secret', baseUrl: 'http://127.0.0.1:1' }))
  expect(html).toContain('ck-root')
  expect(html).not.toContain('secret')
})

test('[K20] a token that looks like a long-lived key is warned about', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  expect(new ChatKitCoze({ botId: 'b', token: 'pat_1234' }).token).toBe('pat_1234')
  expect(new ChatKitCoze({ botId: 'b', token: 'short-lived' }).token).toBe('short-lived')
  expect(warn).toHaveBeenCalledTimes(1)
  expect(String(warn.mock.calls)).not.toContain('pat_1234')
  warn.mockRestore()
})

test('[K4] [K12.2] a subclass that takes comments says how long they may be; one that does not is asked for none', async () => {
  const said: unknown[][] = []
  class Rated extends ChatKitSimple {
    async sendFeedback(...given: unknown[]) {
      said.push(given)
    }
  }
  class Commented extends Rated {
    commentLength = 500
  }
  expect(new Rated({ token: '' } as ChatKitProps).store.adapter).not.toHaveProperty('commentLength')
  const { store } = new Commented({ token: '' } as ChatKitProps)
  expect(store.adapter.commentLength).toBe(500)
  await store.sendFeedback('m1', 'dislike', 'wrong')
  expect(said).toEqual([['m1', 'dislike', 'wrong']])
})
