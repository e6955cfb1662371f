import { OWNER_KEY, type World } from '../wire/world.ts'

export type Block = {
  type: string
  id?: string
  name?: string
  text?: string
  thinking?: string
  input?: Record<string, unknown>
  output?: { type: string; text: string }[]
  is_error?: true
}
export type Message = {
  id: string
  name: string
  role: string
  content: Block[]
  metadata: null
  timestamp: string
  hint?: string
  code?: string
}
export type Frame = { session_id: string; type: string; message: Message }

export type AskOptions = {
  path?: string
  token?: string
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** A response that is being read, as the simplest readers do: split on LF LF, look only at lines that start with `data: `. */
export class OneResponse {
  readonly reply: Response
  readonly frames: Frame[] = []
  raw = ''
  readonly done: Promise<void>
  readonly #waiting = new Set<() => void>()

  constructor(reply: Response) {
    this.reply = reply
    this.done = this.#read()
    this.done.catch(() => undefined)
  }

  get session_id(): string {
    return this.frames[0]!.session_id
  }

  get types(): string[] {
    return this.frames.map(({ type }) => type)
  }

  /** `type(text)` of every frame. */
  get trace(): string[] {
    return this.frames.map(({ type, message }) => {
      if (!message.content) return message.hint === undefined ? type : `${type}(${message.hint})`
      return `${type}(${message.content.map(briefly).join(', ')})`
    })
  }

  completed(): Message[] {
    return this.frames.filter(({ type }) => type === 'message_completed').map(({ message }) => message)
  }

  async until(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(fits)
      if (found) return found
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(resolve)
      await Promise.race([promise, this.done.then(() => this.#demand(fits))])
    }
  }

  #demand(fits: (frame: Frame) => boolean): void {
    if (!this.frames.some(fits)) throw new Error(`The response ended:\n${this.trace.join('\n')}`)
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const bytes of this.reply.body as unknown as AsyncIterable<Uint8Array>) {
      const text = decoder.decode(bytes, { stream: true })
      this.raw += text
      const parts = (rest + text).split('\n\n')
      rest = parts.pop()!
      for (const part of parts)
        if (part.startsWith('data: ')) this.frames.push(JSON.parse(part.slice('data: '.length)) as Frame)
      for (const wake of this.#waiting) wake()
    }
  }
}

function briefly(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text!
    case 'thinking':
      return `thinking ${block.thinking}`
    case 'tool_use':
      return `${block.name} ${JSON.stringify(block.input)}`
    case 'tool_result':
      return `${block.is_error ? '✗' : '✓'} ${block.output!.map(({ text }) => text).join()}`
    default:
      return block.type
  }
}

/** Begins a response, which must be one. */
export async function ask(world: World, body: object, options: AskOptions = {}): Promise<OneResponse> {
  const reply = await post(world, body, options)
  if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`)
  return new OneResponse(reply)
}

/** A whole response. */
export async function answer(world: World, body: object, options: AskOptions = {}): Promise<OneResponse> {
  const response = await ask(world, body, options)
  await response.done
  return response
}

export function post(
  world: World,
  body: unknown,
  { path = '/chat/stream', token = OWNER_KEY, headers = {}, signal }: AskOptions = {},
): Promise<Response> {
  return fetch(world.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  })
}
