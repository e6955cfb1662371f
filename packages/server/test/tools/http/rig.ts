import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type ServerOptions, withDefaults } from '../../../src/config/options.ts'
import { startServer } from '../../../src/server.ts'
import type { HttpToolOptions } from '../../../src/tools/http/config.ts'
import { type Store, World } from '../../wire/world.ts'
import { Receiver, SECRET } from './receiver.ts'

const ANYTHING = { type: 'object' as const, properties: { text: { type: 'string' } } }

type RigParts = { world: World; receiver: Receiver; options: ServerOptions }
type RigOptions = ServerOptions & { store?: Store }

/** A server with tools in a backend, and the backend. */
export class Rig implements AsyncDisposable {
  readonly world: World
  readonly receiver: Receiver
  readonly #options: ServerOptions
  readonly #parts: AsyncDisposableStack
  #asked = 0

  constructor({ world, receiver, options }: RigParts, parts: AsyncDisposableStack) {
    this.world = world
    this.receiver = receiver
    this.#options = options
    this.#parts = parts
  }

  /** Tools are named as the test likes; unless it says more, they take anything. */
  static async open(
    tools: Record<string, Partial<HttpToolOptions>>,
    { store = 'sqlite', ...more }: RigOptions = {},
  ): Promise<Rig> {
    await using parts = new AsyncDisposableStack()
    const receiver = parts.use(await Receiver.start())
    const httpTools = Object.entries(tools).map(([name, tool]) => toolOf(name, receiver.url, tool))
    const options = { httpTools, ...more }
    const world = parts.use(await World.open(store, options))
    return new Rig({ world, receiver, options }, parts.move())
  }

  /** The address of another instance on the same database. */
  async beside(options: ServerOptions = this.#options): Promise<string> {
    const { databaseUrl, provider } = this.world
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-beside-'))
    this.#parts.defer(() => rm(dataDir, { recursive: true, force: true }))
    const config = withDefaults({
      ...{ port: 0, dataDir, secret: 'a secret for tests that nobody needs to know', language: 'en', drainMs: 100 },
      ...{ modelUrl: provider.url, model: 'fake-model', ...(databaseUrl && { databaseUrl }) },
      ...options,
    })
    return this.#parts.use(await startServer(config, pino({ level: 'silent' }))).url
  }

  /** Has the model call a tool in a new session, and waits for the end of it. */
  async call(name: string, input: object = {}) {
    await using begun = await this.begin(name, input)
    await begun.end()
    return begun.call()
  }

  /** The same, without waiting. */
  async begin(name: string, input: object = {}, token?: string) {
    const question = `call ${++this.#asked}`
    this.world.learn({ [question]: [{ calls: [{ name, arguments: input }] }, { text: 'I see.' }] })
    const session_id = await this.world.newSession({}, token)
    const chat = await this.world.chat({ session_id, ...(token !== undefined && { token }) })
    const ack = await chat.send(question)
    return {
      chat,
      session_id,
      question,
      end: () => chat.ended(ack),
      call: () => chat.fold().turns.flatMap(({ tool_calls }) => tool_calls)[0]!,
      [Symbol.asyncDispose]: () => chat[Symbol.asyncDispose](),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync()
  }
}

export function toolOf(name: string, url: string, more: Partial<HttpToolOptions> = {}): HttpToolOptions {
  return { name, description: `Does ${name}.`, schema: ANYTHING, url, secret: SECRET, ...more }
}
