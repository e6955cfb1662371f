import type { EventName, Session, SessionDetail, TurnProjection } from '@parley/protocol'
import type { CreateSession, SessionHistory } from '@parley/protocol/rest'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { OpenAgents } from './agents/open-agents.ts'
import type { Principal } from './auth/principal.ts'
import type { Seal } from './auth/seal.ts'
import type { ServerConfig } from './config/options.ts'
import type { Recall } from './context/recall.ts'
import type { Egress } from './egress/egress.ts'
import type { Admission } from './http/admission.ts'
import type { Clock, Ids, Model } from './ports.ts'
import type { Embedder } from './relevance/embedder.ts'
import type { Beginning, Sessions } from './sessions/service.ts'
import type { Engine } from './store/engine.ts'
import type { InstanceWatch } from './store/instances.ts'
import type { Journal } from './store/journal.ts'
import type { ToolGroup } from './tools/catalog.ts'
import type { TellClients } from './tools/define-tool.ts'
import type { Workspaces } from './workspace/workspaces.ts'

/**
 * One thing that the server can do: the rows, rules, routes and tools of a folder, as one value. `features.ts` lists them,
 * and from that list follows what is mounted, what models are offered, and what goes with a session that is deleted.
 */
export type Feature = {
  name: string
  tools?: ToolGroup
  /** Whether a session has its tools, which are fixed ones then. Default: every session has them. */
  isFor?: (session: SessionSwitches) => boolean
  /** Tools or servers of tools that other instances may lack: a run that needs one is carried on where it is. */
  own?: readonly string[]
  /** Finds what belongs to a user's message, before it is accepted; stored with the message, and given to the model with it. */
  recall?: Recall
  /** Behind the door: every request has a caller who is known. */
  routes?: (scope: FastifyInstance, sessions: SessionReader) => void
  /** Before the door, for strangers: each of them must prove by something else who asks. */
  openRoutes?: (app: FastifyInstance, admission: Admission, sessions: SessionReader) => void
  /** Stands between a run's tools and the session's clients, for what could be told too often. */
  slowDown?: (session_id: string, tell: TellClients) => TellClients
  /** Called when a run has left this instance, ended or not. */
  afterRun?: (run: { session_id: string; run_id: string }) => void
  /** Its tables with a `session_id`: their rows go with their session. */
  tables?: readonly string[]
  /** What a deleted session has outside the database: processes, files. Its rows are gone by then. */
  dropSession?: (session_id: string) => Promise<void>
  /** Begins what it does by itself, once sessions can be had; ends when disposed, before anything else does. */
  start?: (sessions: SessionReader) => AsyncDisposable
  /** Of a user who was removed: whatever is theirs beside sessions. Done again when it was not finished. */
  dropUser?: (user_id: string) => Promise<void>
  close?: () => void | Promise<void>
}

/** What a session has switched on, and whose it is. */
export type SessionSwitches = {
  memory_enabled: number
  isVisitor: boolean
  /** It belongs to an owner of the server, or to a visitor of theirs. */
  isOfOwner: boolean
}

/** What a feature may ask of sessions. What names one throws `session_not_found` if it is not this caller's. */
export type SessionReader = {
  /** A new one that begins with rows of the feature's. */
  create: (principal: Principal, body: CreateSession, beginning: Beginning) => Promise<Session>
  begin: Sessions['begin']
  expireWait: Sessions['expireWait']
  get: (principal: Principal, session_id: string) => Promise<Session>
  detail: (principal: Principal, session_id: string) => Promise<SessionDetail>
  /** In ascending order, the ones that are streaming included; `limit` counts from the end unless `after` is given. */
  messages: (
    principal: Principal,
    session_id: string,
    page?: { after?: number; limit?: number },
  ) => Promise<TurnProjection[]>
  /** What its model gets of it. */
  history: (principal: Principal, session_id: string) => Promise<SessionHistory>
}

/** What the server has for a feature to stand on. */
export type World = {
  config: ServerConfig
  engine: Engine
  journal: Journal
  egress: Egress
  /** Where one is configured: passages are found by their meaning, too. */
  embedder?: Embedder | undefined
  logger: Logger
  clock: Clock
  ids: Ids
  /** This process, among all that share the database. */
  instance: string
  /** Which of the others are gone. */
  instances: InstanceWatch
  version: string
  /** Where this server is reached; known once it listens. */
  address: Promise<string>
  /** Keeps secrets of one purpose in the database. */
  sealFor: (purpose: string) => Seal
  workspaces: Workspaces
  /** Which version of which agent answers in a session. */
  agents: OpenAgents
  /** The one that answers in a session; a session that names none, or one that is gone, has the default. */
  modelOf: (id: string | null) => Model
  hasModel: (id: string) => boolean
  /** Stricter: whether it can be chosen now. */
  offersModel: (id: string) => Promise<boolean>
  isOwner: (user_id: string) => Promise<boolean>
  /** Tells a session's clients something that belongs to no run. */
  tell: (session_id: string, event: EventName, payload: object) => void
}
