import { expect } from 'vitest'
import { OWNER_KEY, type World } from '../wire/world.ts'

/** An event as a client reads it. */
export type Frame = { id: string; type: string; timestamp: number; sessionId: string; data: Record<string, unknown> }

export type SseOptions = {
  path?: string
  headers?: Record<string, string>
  token?: string | null
  signal?: AbortSignal
  /** Another instance than the world's. */
  url?: string
}

let sessions = 0
/** The name of a conversation that nobody else uses. */
export const newSessionId = () => `session_${Date.now()}_${++sessions}`

/** An open event stream, read frame by frame. */
export class Stream implements AsyncDisposable {
  readonly response: Response
  readonly #frames: AsyncGenerator<string>
  readonly #controller: AbortController
  /** Exactly what came, frame by frame. */
  readonly raw: string[] = []
  readonly events: Frame[] = []

  constructor(response: Response, controller: AbortController) {
    this.response = response
    this.#controller = controller
    this.#frames = framesIn(response)
  }

  /** The next event; `undefined` when the stream is over. */
  async next(): Promise<Frame | undefined> {
    for (;;) {
      const { value, done } = await this.#frames.next()
      if (done) return undefined
      this.raw.push(value)
      const data = /^data: (.*)$/m.exec(value)?.[1]
      if (data === undefined) continue
      const event = JSON.parse(data) as Frame
      this.events.push(event)
      return event
    }
  }

  async until(type: string): Promise<Frame> {
    for (;;) {
      const event = await this.next()
      if (!event) throw new Error(`No ${type} came: ${inShort(this.events).join(' · ')}`)
      if (event.type === type) return event
    }
  }

  /** Everything up to the end of the stream. */
  async all(): Promise<Frame[]> {
    while (await this.next());
    return this.events
  }

  hangUp(): void {
    this.#controller.abort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.hangUp()
    await this.#frames.return(undefined).catch(() => undefined)
  }
}

async function* framesIn(response: Response): AsyncGenerator<string> {
  let rest = ''
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split('\n\n')
    rest = frames.pop()!
    for (const frame of frames) yield `${frame}\n\n`
  }
  expect(rest).toBe('')
}

export async function open(world: Pick<World, 'url'>, body: object | null, options: SseOptions = {}): Promise<Stream> {
  const { path = '/api/agent/chat/stream', headers, token = OWNER_KEY, url = world.url } = options
  const controller = new AbortController()
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    signal: controller.signal,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return new Stream(response, controller)
}

/** One message, and everything that is told of it. */
export async function ask(world: Pick<World, 'url'>, body: object, options: SseOptions = {}): Promise<Frame[]> {
  await using stream = await open(world, body, options)
  expect(stream.response.status, await problemOf(stream.response)).toBe(200)
  return await stream.all()
}

async function problemOf(response: Response): Promise<string> {
  return response.status === 200 ? '' : response.clone().text()
}

/** Types in order, with the number of an iteration. */
export function inShort(events: readonly Frame[]): string[] {
  return events
    .filter(({ type }) => type !== 'heartbeat')
    .map(({ type, data }) => ('iteration' in data ? `${type}{${String(data['iteration'])}}` : type))
}

export function textIn(events: readonly Frame[]): string {
  return events
    .filter(({ type }) => type === 'content_chunk')
    .map(({ data }) => data['content'])
    .join('')
}

export function dataOf(events: readonly Frame[], type: string): Record<string, unknown> {
  const found = events.findLast((event) => event.type === type)
  if (!found) throw new Error(`There is no ${type} among ${inShort(events).join(' · ')}`)
  return found.data
}

/** Without text. */
export function structure(events: readonly Frame[]): string[] {
  return inShort(events).filter((type) => type !== 'content_chunk')
}

export type Pending = {
  toolName: string
  arguments: Record<string, unknown>
  userMessage: string
  confirmationId: string
  toolCallId: string
}

/** What the run waits for. */
export function pendingIn(events: readonly Frame[]): Pending {
  return dataOf(events, 'confirmation_required')['pendingConfirmation'] as Pending
}
