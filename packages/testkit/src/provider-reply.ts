/** What the fake provider answers to one request. Everything is optional; the default is an empty answer that ends. */
export type FakeReply = {
  /** Waits before the answer begins. */
  delayMs?: number
  /** Waits for this before the answer begins. */
  until?: Promise<unknown>
  /** Waits before every chunk. */
  chunkDelayMs?: number
  /** Characters in one chunk of text, thinking or arguments. Default: a word at a time. */
  chunkChars?: number
  thinking?: string
  /** Signature of the thinking block (Anthropic). Default `sig`. */
  signature?: string
  text?: string
  calls?: readonly FakeCall[]
  /** Default: `tool_calls` if there are calls, else `stop`. */
  finish?: 'stop' | 'tool_calls' | 'length' | 'refused'
  /** Default: counted from the characters. `null`: none is sent. */
  usage?: FakeUsage | null
  /** Refuses the request with this status and nothing else. */
  error?: FakeError
  /** After what was said, an error inside the stream. */
  errorInStream?: { type: string; message: string; code?: string }
  /** After what was said, the connection is cut. */
  hangUp?: boolean
  /** After what was said, bytes that are no JSON. */
  garbage?: boolean
  /** Says nothing any more: not even headers (`before`), or nothing after what was said (`after`). */
  hang?: 'before' | 'after'
  /** A recorded reply, sent as it is in place of all of the above; several pieces are several writes. */
  recorded?: { status?: number; contentType?: string; body: string | readonly (string | Uint8Array)[] }
}

export type FakeCall = { id?: string; name: string; arguments: unknown }

export type FakeUsage = { input: number; output: number; cacheRead?: number; cacheWrite?: number }

/** A status with what the real providers send along; `body` replaces that. */
export type FakeError = {
  status: number
  retryAfter?: number | string
  body?: unknown
  /** Shorthand for the 400 of a conversation that is too long. */
  overflow?: boolean
}

/** Cuts a text the way a provider streams it. */
export function chunksOf(text: string, chunkChars: number | undefined): string[] {
  if (chunkChars === undefined) return text.match(/\s*\S+(?:\s+$)?|\s+$/g) ?? []
  const characters = Array.from(text)
  const chunks: string[] = []
  for (let at = 0; at < characters.length; at += chunkChars) chunks.push(characters.slice(at, at + chunkChars).join(''))
  return chunks
}

/** The calls with ids that differ from request to request, and their arguments as the model would have written them. */
export function callsOf({ calls = [] }: FakeReply, requestNumber: number) {
  return calls.map((call, index) => ({
    index,
    id: call.id ?? `call_${requestNumber}_${index}`,
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }))
}

export function usageOf({ usage, text = '', thinking = '' }: FakeReply, requestBytes: number): FakeUsage | null {
  if (usage !== undefined) return usage
  return { input: Math.ceil(requestBytes / 4), output: Math.ceil((text.length + thinking.length) / 4) }
}
