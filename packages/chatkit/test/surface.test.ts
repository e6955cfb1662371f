import { expect, test } from 'vitest'
import * as kit from '../src/index.ts'
import type {
  ApplicationContext,
  ChatKitInterface,
  ChatMessage,
  ContentBlock,
  ConversationHistory,
  EventStreamMessage,
  MarkdownBlock,
  MessageContext,
  OnboardingInfo,
  Role,
  TextBlock,
  WebSearchBlock,
  WebSearchQuery,
  WebSearchResult,
} from '../src/index.ts'
import { shape } from './chat.ts'
import { json, startStandIn, trickle } from './stand-in.ts'

const { BlockType, ChatKitBase, RoleType } = kit

test('[K23.1] everything that the specification names is exported', () => {
  expect(Object.keys(kit)).toEqual(
    expect.arrayContaining([
      ...['BlockType', 'RoleType', 'ChatKitBase', 'CopilotBase', 'AssistantBase'],
      ...['ChatKitParley', 'ChatKitCoze', 'ChatKitDify', 'ChatKitOpenAI'],
      ...['ChatKitOneDragon', 'ChatKitAgentSSE', 'ChatKitAGUI'],
      ...['ChatKit', 'ChatKitProvider', 'mountChatKit', 'useChatKit', 'useMessage', 'useBlock', 'Markdown'],
      ...['Thread', 'MessageList', 'Message', 'Block', 'Composer', 'Onboarding', 'History', 'ContextChip'],
      ...['BlockRegistry', 'recogniseSearch'],
      ...['parley', 'coze', 'dify', 'openai', 'onedragon', 'agentSse', 'agUi'],
    ]),
  )
})

/** Every field of the specification's types, with the types that the specification gives them: this file compiles, or the check fails. */
const result: WebSearchResult = { content: '', icon: '', link: '', media: '', title: '' }
const query: WebSearchQuery = { input: 'q', results: [result] }
const blocks: [TextBlock, MarkdownBlock, WebSearchBlock] = [
  { type: BlockType.Text, content: '' },
  { type: BlockType.Markdown, content: '' },
  { type: BlockType.WebSearch, content: query },
]
const base: ContentBlock<kit.BlockType, string | WebSearchQuery> = blocks[0]
const role: Role = { name: 'AI 助手', type: RoleType.Assistant, avatar: '' }
const message: ChatMessage = { messageID: 'm', role, content: [...blocks] }

test('[K2.1] the specification’s types take the specification’s values', () => {
  expect(message.content).toHaveLength(3)
  expect(base.type).toBe('Text')
})

/** As code against the published kit is written: its names, its render methods inside the reducer, its signatures. */
class AsPublished
  extends kit.CopilotBase<EventStreamMessage, { text: string }>
  implements ChatKitInterface<EventStreamMessage, { text: string }>
{
  public async getOnboardingInfo(): Promise<OnboardingInfo> {
    return { prologue: 'Hi', predefinedQuestions: [] }
  }
  public async generateConversation(title?: string): Promise<string> {
    const response = await this.executeWithTokenRefresh((token) =>
      fetch(`${this.props.baseUrl}/conversations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ title }),
      }),
    )
    return ((await response.json()) as { id: string }).id
  }
  // oxlint-disable-next-line max-params -- published
  public async sendMessage(
    text: string,
    ctx?: ApplicationContext,
    conversationID?: string,
    regenerateMessageId?: string,
  ): Promise<ChatMessage> {
    const body = JSON.stringify({ text, ctx, conversationID, regenerateMessageId })
    const response = await fetch(`${this.props.baseUrl}/chat`, { method: 'POST', body })
    return this.handleStreamResponse(response.body!.getReader(), 'assistant-1')
  }
  public reduceAssistantMessage(
    eventMessage: EventStreamMessage,
    prev: { text: string } = { text: '' },
    messageID = '',
  ): { text: string } {
    const text = prev.text + eventMessage.data
    this.appendMarkdownBlock(messageID, text)
    if (eventMessage.event === 'tool') {
      this.appendDefaultToolBlock(messageID, 'f', { title: 'F', input: 1, output: 2 }, 5)
      this.updateMessageContext(messageID, { totalTokens: 7, relatedQuestions: ['And?'] } satisfies MessageContext)
    }
    return { text }
  }
  public shouldRefreshToken(status: number, _error: object): boolean {
    return status === 401
  }
  public override async getConversations(_page?: number, _size?: number): Promise<ConversationHistory[]> {
    return [{ conversationID: 'cv', title: 'T', created_at: 1, updated_at: 2 }]
  }
}

test('[K23.1] a subclass written against the published kit compiles and works', async () => {
  await using server = await startStandIn(({ path, headers }, response) => {
    if (path === '/conversations')
      return headers.authorization === 'Bearer new' ? json(response, 200, { id: 'cv' }) : json(response, 401, {})
    return trickle(response, 'event: text\ndata: one\n\nevent: tool\ndata:  two\n\n')
  })
  const chat = new AsPublished({ baseUrl: server.url, token: 'old', refreshToken: async () => 'new' })
  chat.componentDidMount()
  await chat.send('hi')
  expect(chat).toBeInstanceOf(ChatKitBase)
  expect(shape(chat.messages[1])).toMatchObject([
    ['Markdown', 'one two'],
    ['Tool', { name: 'f', title: 'F', input: 1, output: 2, durationMs: 5 }],
  ])
  expect(chat.messages[1]?.messageContext).toMatchObject({ totalTokens: 7, relatedQuestions: ['And?'] })
  expect(await chat.getConversations()).toHaveLength(1)
  chat.componentWillUnmount()
})
