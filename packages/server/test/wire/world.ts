import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Session, SessionDetail, TurnProjection } from '@parley/protocol'
import { type FakeChoice, type FakeModel, type FakeReply, type FakeRequest, startFakeModel } from '@parley/testkit'
import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { openAuth } from '../../src/auth/auth.ts'
import { loadSecret } from '../../src/auth/secret.ts'
import { type ServerOptions, withDefaults } from '../../src/config/options.ts'
import type { Resolve } from '../../src/egress/lookup.ts'
import { openStore } from '../../src/open-store.ts'
import { type Server, startServer } from '../../src/server.ts'
import { connectClient, type ConnectOptions } from '../face/client.ts'
import { postgresPlace } from '../store/place.ts'
import { Chat } from './chat.ts'
import { Gates, testTools } from './gates.ts'

export type Store = 'sqlite' | 'postgres'
export const STORES: readonly Store[] = ['sqlite', 'postgres']

/** What the model says to a question: by rounds (its answers since that question), or by a function. */
export type Lines = Record<string, readonly FakeReply[] | ((request: FakeRequest, round: number) => FakeReply)>

export type RestOptions = {
  body?: unknown
  token?: string | null
  headers?: Record<string, string>
  signal?: AbortSignal
}

export type Answer<T = Record<string, unknown>> = { status: number; body: T; headers: Headers }

const ANY = '*'

export const OWNER_KEY = 'sk-wire-0123456789012345678901234567'

/** The whole server on a real port, its store, a model that says what the test wrote down, and two users. */
export class World implements AsyncDisposable {
  readonly provider: FakeModel
  readonly gates = new Gates()
  /** What the server logged as an error: nothing a client does may cause one. */
  readonly errors: string[] = []
  /** What it warned of. */
  readonly warnings: string[] = []
  /** A key of a user who owns nothing of what these tests make. */
  strangersKey = ''
  /** A login that ran out yesterday. */
  expiredToken = ''
  readonly #lines: Lines
  readonly #options: ServerOptions
  readonly #parts: AsyncDisposableStack
  #server: Server | undefined
  #resolve: Resolve | undefined

  static async open(store: Store = 'sqlite', options: ServerOptions = {}, resolve?: Resolve): Promise<World> {
    await using parts = new AsyncDisposableStack()
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-wire-'))
    parts.defer(() => rm(dataDir, { recursive: true, force: true }))
    const place = store === 'postgres' ? parts.use(await postgresPlace()) : undefined
    const lines: Lines = {}
    const provider = parts.use(await startFakeModel(speaking(lines)))
    const world = new World(
      parts.move(),
      { provider, lines },
      {
        host: '127.0.0.1',
        port: 0,
        dataDir,
        ...(place && { databaseUrl: place.at }),
        ownerKey: OWNER_KEY,
        secret: 'a secret for tests that nobody needs to know',
        language: 'en',
        modelUrl: provider.url,
        model: 'fake-model',
        drainMs: 100,
        ...options,
      },
    )
    world.#resolve = resolve
    await world.#makeStranger()
    await world.start()
    return world
  }

  constructor(
    parts: AsyncDisposableStack,
    { provider, lines }: { provider: FakeModel; lines: Lines },
    options: ServerOptions,
  ) {
    this.#parts = parts
    this.provider = provider
    this.#lines = lines
    this.#options = options
  }

  get dataDir(): string {
    return this.#options.dataDir!
  }

  /** For a second server beside this one. */
  get databaseUrl(): string | undefined {
    return this.#options.databaseUrl
  }

  get url(): string {
    return this.#server!.url
  }

  get signInUrl(): string {
    return this.#server!.signInUrl
  }

  get elsewhere(): string[] | null {
    return this.#server!.elsewhere
  }

  /** Writes down what the model says. Each question belongs to one test. */
  learn(lines: Lines): void {
    for (const question of Object.keys(lines))
      if (question in this.#lines) throw new Error(`The model has an answer to "${question}" already.`)
    Object.assign(this.#lines, lines)
  }

  /** What it says to every question that it has no answer to. */
  otherwise(answer: FakeChoice): void {
    this.learn({ [ANY]: (request) => answer(request)! })
  }

  /** The model's requests about this question, in order. */
  requests(question: string): FakeRequest[] {
    return this.provider.requests.filter((request) => [request.question, saidIn(request.question)].includes(question))
  }

  async start(): Promise<void> {
    const write = (line: string) => {
      const isError = (JSON.parse(line) as { level: number }).level >= pino.levels.values['error']!
      const lines = isError ? this.errors : this.warnings
      lines.push(line)
    }
    const logger = pino({ level: 'warn' }, { write })
    this.#server = await startServer(withDefaults(this.#options), logger, {
      tools: testTools(this.gates),
      ...(this.#resolve && { resolve: this.#resolve }),
    })
  }

  async stop(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]()
    this.#server = undefined
  }

  async rest<T = Record<string, unknown>>(
    method: string,
    path: string,
    { body, token = OWNER_KEY, headers, signal }: RestOptions = {},
  ): Promise<Answer<T>> {
    const reply = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    const text = await reply.text()
    const isJson = reply.headers.get('content-type')?.includes('json') ?? false
    return { status: reply.status, body: (isJson ? JSON.parse(text) : text) as T, headers: reply.headers }
  }

  async newSession(body: object = {}, token = OWNER_KEY): Promise<string> {
    return (await this.rest<{ session_id: string }>('POST', '/api/sessions', { body, token })).body.session_id
  }

  async session(session_id: string): Promise<SessionDetail> {
    return (await this.rest<SessionDetail>('GET', `/api/sessions/${session_id}`)).body
  }

  async sessions(): Promise<Session[]> {
    return (await this.rest<{ items: Session[] }>('GET', '/api/sessions?limit=100')).body.items
  }

  async messages(session_id: string): Promise<TurnProjection[]> {
    return (await this.rest<TurnProjection[]>('GET', `/api/sessions/${session_id}/messages`)).body
  }

  connect(options: ConnectOptions = {}) {
    return connectClient(this.url, { token: OWNER_KEY, ...options })
  }

  /** A client that follows a session: a new one, unless it is named. */
  async chat({ session_id, ...options }: ConnectOptions & { session_id?: string } = {}): Promise<Chat> {
    const id = session_id ?? (await this.newSession())
    const client = await this.connect(options)
    await client.ask('session:subscribe', { session_id: id })
    return new Chat(this, client, id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await this.#parts.disposeAsync()
  }

  /** A member, and a login that is over. */
  async #makeStranger(): Promise<void> {
    const config = withDefaults(this.#options)
    await using engine = await openStore(config)
    const secret = await loadSecret({ engine, dataDir: config.dataDir, configured: config.secret, randomBytes })
    const onError = (error: unknown) => void this.errors.push(String(error))
    await using auth = await openAuth({ engine, secret, now: () => Date.now() - 31 * 86_400_000, randomBytes, onError })
    const { user } = await auth.members.invite(auth.owner_id, {
      username: `stranger-${randomBytes(4).toString('hex')}`,
    })
    this.strangersKey = (await auth.keys.create(user.id, 'theirs')).plaintext
    this.expiredToken = (await auth.signIn(await auth.newSignInCode()))!
  }
}

/** One world for all tests of a file: each has sessions of its own. */
export function sharedWorld(store: Store = 'sqlite', options: ServerOptions = {}, resolve?: Resolve): () => World {
  let world: World | undefined
  beforeAll(async () => {
    world = await World.open(store, options, resolve)
  })
  afterAll(async () => world?.[Symbol.asyncDispose]())
  return () => world!
}

function speaking(lines: Lines): FakeChoice {
  return (request) => {
    const answers = lines[request.question] ?? lines[saidIn(request.question)] ?? lines[ANY]
    const asked = request.messages.findLastIndex(({ role }) => role === 'user')
    const round = request.messages.slice(asked + 1).filter(({ role }) => role === 'assistant').length
    return typeof answers === 'function' ? answers(request, round) : answers?.[round]
  }
}

/** Without what was recalled for it. */
function saidIn(question: string): string {
  return question.split('\n\n', 1)[0]!
}

/** The question that most tests ask. */
export const WHICH = {
  questions: [
    {
      question: 'Which environment?',
      header: 'Deploy',
      options: [{ label: 'staging', description: 'for tests' }, { label: 'production' }],
      multiSelect: false,
    },
  ],
}

export const askCall = (given: object = WHICH) => ({ name: 'AskUserQuestion', arguments: given })
export const agentCall = (prompt: string, description = `task ${prompt}`) => ({
  name: 'Agent',
  arguments: { description, prompt },
})
