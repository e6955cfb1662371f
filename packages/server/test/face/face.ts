import { randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { Session } from '@parley/protocol'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { type Auth, openAuth } from '../../src/auth/auth.ts'
import { withDefaults } from '../../src/config/options.ts'
import { type NativeOptions, nativeFace } from '../../src/faces/native/native-face.ts'
import { feedSources } from '../../src/feed/feed-sources.ts'
import { PageVisits } from '../../src/http/page-visits.ts'
import { serverRoutes } from '../../src/http/server-routes.ts'
import { createAccess } from '../../src/http/access.ts'
import { createApp } from '../../src/http/app.ts'
import { openDoor } from '../../src/http/door.ts'
import { clock } from '../../src/clock-and-ids.ts'
import { ModelConfigs } from '../../src/model-configs/model-configs.ts'
import type { Engine } from '../../src/store/engine.ts'
import { Journal } from '../../src/store/journal.ts'
import { openSqlite } from '../../src/store/sqlite/engine.ts'
import { type Client, connectClient, type ConnectOptions } from './client.ts'
import { ScriptedSessions } from './scripted-sessions.ts'

export type FaceOptions = NativeOptions & {
  engine?: Engine
  journal?: Journal
  auth?: Auth
  publicUrl?: string
  allowedOrigins?: string[]
  maxSockets?: number
  now?: () => number
  authFailures?: number
  recheckMs?: number
  /** Routes of single features, for people who are signed in. */
  features?: ((scope: FastifyInstance) => void)[]
}

export type Face = AsyncDisposable & {
  url: string
  engine: Engine
  journal: Journal
  sessions: ScriptedSessions
  auth: Auth
  /** An API key of the owner. */
  key: string
  /** A session of the owner. */
  session_id: string
  /** How many TCP connections are open. */
  connections(): Promise<number>
  request(method: string, path: string, options?: RequestOptions): Promise<Response>
  connect(options?: ConnectOptions): Promise<Client>
}

export type RequestOptions = {
  body?: unknown
  token?: string | null
  headers?: Record<string, string>
  signal?: AbortSignal
}

export const SECRET = { key: (purpose: string) => Buffer.from(purpose.padEnd(32, '.')) }

/** The native face on a real port, over a real store. */
export async function openFace(options: FaceOptions = {}): Promise<Face> {
  const engine = options.engine ?? (await openSqlite({ directory: ':memory:', now: Date.now }))
  const logger = pino({ level: 'silent' })
  const auth =
    options.auth ?? (await openAuth({ engine, secret: SECRET, now: Date.now, randomBytes, onError: failLoudly }))
  const journal = new Journal(engine, randomUUID)
  const sessions = new ScriptedSessions(engine, journal)
  const access = createAccess({ publicUrl: options.publicUrl, allowedOrigins: options.allowedOrigins ?? [] })
  const app = createApp(logger, access)
  serverRoutes(app, {
    version: '0.1.0',
    state: () => 'ok',
    trouble: async () => null,
    capabilities: () => [],
    detailsFor: async () => null,
  })
  const { now = Date.now, authFailures, recheckMs, publicUrl, allowedOrigins = [], maxSockets = 10_000 } = options
  const door = openDoor({ app, access, auth, logger, now, authFailures, recheckMs })
  options.features?.forEach(door.signedIn)
  nativeFace(options).mount({
    app,
    door,
    auth,
    sessions,
    analyses: { charts: async () => 'no_analysis' },
    mountKnowledge: () => undefined,
    visits: new PageVisits(() => new Date(now()).toISOString()),
    source: feedSources({
      journal: options.journal ?? journal,
      now,
      toolNames: () => undefined,
      outcomeOf: async (run_id) => {
        const [row] = await engine.select<{ outcome: string | null }>('SELECT outcome FROM runs WHERE id = ?', [run_id])
        return row?.outcome ? JSON.parse(row.outcome) : null
      },
    }),
    models: {
      models: [{ id: 'demo', name: 'Demo', contextWindow: 8_000, supportsVision: false, supportsThinking: true }],
      default: 'demo',
      tryOut: async () => null,
      probe: async () => undefined,
    },
    forgetUser: async () => {},
    tools: async () => [],
    onAccountChange: engine.hub.onChange.bind(engine.hub),
    trouble: async () => null,
    modelConfigs: new ModelConfigs({
      ...{ engine, clock },
      seal: { seal: (text) => text, open: (text) => text },
      egress: { check: (url) => new URL(url) },
    }),
    config: { ...withDefaults({}), language: 'en', publicUrl, allowedOrigins, maxSockets, faces: { onedragon: false } },
    shownConfig: { asrEnabled: false, publicSharingEnabled: false, memoryEnabled: false, suggestionsEnabled: false },
    logger,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const { plaintext: key } = await auth.keys.create(auth.owner_id, 'tests')
  const { id: session_id }: Session = await sessions.create({ user_id: auth.owner_id }, {})
  return {
    url,
    engine,
    journal,
    sessions,
    auth,
    key,
    session_id,
    connections: () => promisify(app.server.getConnections.bind(app.server))(),
    request: (method, path, given) => request(url + path, method, { token: key, ...given }),
    connect: (given) => connectClient(url, { token: key, ...given }),
    async [Symbol.asyncDispose]() {
      await app.close()
      if (!options.auth) await auth[Symbol.asyncDispose]()
      if (!options.engine) await engine[Symbol.asyncDispose]()
    },
  }
}

async function request(
  url: string,
  method: string,
  { body, token, headers, signal }: RequestOptions,
): Promise<Response> {
  return fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  })
}

function failLoudly(error: unknown): never {
  throw error
}
