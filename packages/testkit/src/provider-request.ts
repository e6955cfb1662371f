import type { IncomingHttpHeaders } from 'node:http'

export type FakeWire = 'openai' | 'anthropic'

/** One request as the fake provider got it: the bytes, and what they say whatever wire they came over. */
export type FakeRequest = {
  /** Counts from 1. */
  number: number
  wire: FakeWire
  path: string
  headers: IncomingHttpHeaders
  /** Exactly what was sent. */
  bytes: Buffer
  body: Readonly<Record<string, unknown>>
  model: string
  system: string
  messages: readonly FakeMessage[]
  /** Text of the last message that a person, or a parent agent, wrote. */
  question: string
  /** Texts of the tool results since then, in order. */
  results: readonly string[]
  /** Names of the tools on offer. */
  tools: readonly string[]
  /** When the exchange is over: `finished` if the provider said everything it wanted, `aborted` if the caller left. */
  closed: Promise<'finished' | 'aborted'>
}

export type FakeMessage = { role: 'user' | 'assistant' | 'tool'; text: string; calls: readonly string[] }

/** What the body of a request says. */
export function readBody(wire: FakeWire, body: Record<string, unknown>) {
  const { system, messages } = wire === 'openai' ? fromOpenAI(body) : fromAnthropic(body)
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  return {
    model: typeof body['model'] === 'string' ? body['model'] : '',
    system,
    messages,
    question: questionIn(messages[asked]?.text ?? ''),
    results: messages.slice(asked + 1).flatMap(({ role, text }) => (role === 'tool' ? [text] : [])),
    tools: listOf(body['tools']).map((tool) => String(tool['name'] ?? recordOf(tool['function'])['name'])),
  }
}

/** What was found for a message stands behind it, and is nothing that its sender asked. */
function questionIn(text: string): string {
  const found = text.search(/\s+Passages from the knowledge base /)
  return found < 0 ? text : text.slice(0, found)
}

type Json = Record<string, unknown>

function fromOpenAI(body: Json): { system: string; messages: FakeMessage[] } {
  const all = listOf(body['messages'])
  const isSystem = (message: Json) => message['role'] === 'system' || message['role'] === 'developer'
  return {
    system: all
      .filter(isSystem)
      .map((message) => textOf(message['content']))
      .join('\n'),
    messages: all
      .filter((message) => !isSystem(message))
      .map((message) => ({
        role: message['role'] as FakeMessage['role'],
        text: textOf(message['content']),
        calls: listOf(message['tool_calls']).map((call) => String(recordOf(call['function'])['name'])),
      })),
  }
}

/** Anthropic has tool results inside user messages: each becomes a message of its own, before what the user says. */
function fromAnthropic(body: Json): { system: string; messages: FakeMessage[] } {
  const messages = listOf(body['messages']).flatMap((message): FakeMessage[] => {
    const blocks = typeof message['content'] === 'string' ? [] : listOf(message['content'])
    const results = blocks.filter(({ type }) => type === 'tool_result')
    const calls = blocks.filter(({ type }) => type === 'tool_use').map(({ name }) => String(name))
    const text = textOf(message['content'])
    const own = { role: message['role'] as FakeMessage['role'], text, calls }
    return [
      ...results.map((result) => ({ role: 'tool' as const, text: textOf(result['content']), calls: [] })),
      ...(results.length > 0 && text === '' ? [] : [own]),
    ]
  })
  return { system: textOf(body['system']), messages }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .filter(({ type }) => type === 'text')
    .map(({ text }) => String(text))
    .join('')
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value : []
}

function recordOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}
