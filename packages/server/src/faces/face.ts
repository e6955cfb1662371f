import type { ServerConfig as ShownConfig } from '@parley/protocol/rest'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Auth } from '../auth/auth.ts'
import type { OpenIdConnect } from '../auth/oidc/open-id-connect.ts'
import type { ServerConfig } from '../config/options.ts'
import type { FeedSource } from '../feed/feed.ts'
import type { Door } from '../http/door.ts'
import type { PageVisits } from '../http/page-visits.ts'
import type { ModelConfigs } from '../model-configs/model-configs.ts'
import type { Models } from '../models/registry.ts'
import type { ModelEntry } from '../ports.ts'
import type { Sessions } from '../sessions/service.ts'
import type { Analyses } from '../tools/analysis/analyses.ts'
import type { AccountChange } from '../store/work.ts'
import type { Language } from '../words/language.ts'
import type { Reader } from '../words/reader.ts'

/** A protocol that outsiders speak: decodes requests into calls of `sessions`, encodes what `feed` yields. */
export type Face = {
  /** What it can do beyond the protocol it speaks, for `GET /api/version`. */
  capabilities?: readonly string[]
  /** Adds its routes: those behind the door with `door.signedIn`. What it opens ends with the app. */
  mount: (parts: FaceParts) => void
}

export type FaceParts = {
  app: FastifyInstance
  door: Door
  auth: Auth
  /** Where people sign in elsewhere, if that is configured. */
  openId?: OpenIdConnect | undefined
  sessions: Sessions
  /** Deletes what a removed user had. */
  forgetUser: (user_id: string) => Promise<void>
  /** What analyses by code have left. */
  analyses: Analyses
  /** Mounts what is done with documents, under a prefix of the face's. */
  mountKnowledge: (scope: FastifyInstance, prefix: string) => void
  /** The journal, as this kind of reader sees it. */
  source: (reader: Reader) => FeedSource
  models: ModelList
  modelConfigs: ModelConfigs
  /** What `GET /api/tools` lists, with names in this language. */
  tools: (language: Language) => Promise<readonly object[]>
  config: Pick<
    ServerConfig,
    'language' | 'publicUrl' | 'allowedOrigins' | 'maxSockets' | 'maxTurns' | 'faces' | 'models' | 'prices' | 'currency'
  >
  /** Told of every change of what is a user's, here or on another instance; until disposed. */
  onAccountChange: (listener: (change: AccountChange) => void) => Disposable
  /** What is wrong with the store just now. */
  trouble: () => Promise<string | null>
  /** What clients may know about how this server is set up. */
  shownConfig: ShownConfig
  /** Which pages have come so far. */
  visits: PageVisits
  logger: Logger
}

/** The models there are and the one that answers when a session names none. */
export type ModelList = Pick<Models, 'default' | 'tryOut' | 'probe'> & { models: readonly Omit<ModelEntry, 'model'>[] }
