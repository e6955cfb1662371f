import type { AgentEvent } from '@parley/protocol/agent-sse'
import type {
  DocumentChange,
  DocumentInput,
  DocumentsPage,
  DocumentsQuery,
  KnowledgeDocument,
  KnowledgeResult,
  KnowledgeSearch,
} from '@parley/protocol/rest'
import type { JsonObject, JsonValue, Model, Replay, Risk, ToolInput } from '../ports.ts'

// What a program sees of the core. Nothing here names what the server is built of: programs have only its bundle.

export type InProcessOptions = {
  /** Holds the SQLite file; a server may open the same directory later. Absent: all is in memory, and ends with it. */
  dataDir?: string | undefined
  language: 'zh' | 'en'
  /** Asked whenever a run wants a model. */
  findModel: (id: string) => GivenModel | undefined
  /** Asked when a run begins, and when it is carried on. */
  setup: (run: WhichRun) => GivenSetup
  log: (line: LogLine) => void
}

export type LogLine = { level: 'warn' | 'error'; message: string; details: Record<string, unknown> }

/** A model of the program: any that keeps to the contract, or throws. */
export type GivenModel = {
  model: Model
  /** The longest silence of one call, in milliseconds. */
  patienceMs: number
}

/** `model` is the id that its message named. */
export type WhichRun = { session_id: string; run_id: string; model: string }

/** What a program says about one of its runs. */
export type GivenSetup = {
  /** What the model is told first. */
  system: string
  /** Asked at every call: they come and go. */
  tools: () => readonly GivenTool[]
  /** Model calls. */
  maxTurns: number
  /** How long a confirmation, and a person's consent, holds. */
  consentMs: number
}

/** A function of the program, as its runs call it. */
export type GivenTool = {
  name: string
  description: string
  /** A JSON Schema of type object, for the model. */
  input: JsonObject
  risk: Risk
  requiresConfirmation: boolean
  readOnly: boolean
  replay: Replay
  timeoutMs: number
  /** Before anybody is asked; what it gives back is what runs. */
  check: (input: JsonValue) => ToolInput
  /** A throw is an error result. */
  run: (input: Record<string, unknown>, context: GivenContext) => unknown
}

export type GivenContext = { session_id: string; tool_call_id: string; attempt: number; signal: AbortSignal }

/**
 * The core in the caller's process: journal, runs and consent, for one user, the owner. No port is opened. It speaks the
 * agent SSE protocol without its wire: the same requests, the same events.
 */
export type InProcess = AsyncDisposable & {
  /** Fields as in the body of a request. Throws where it is not accepted; `chatFailure` says why. */
  send: (request: { message: string } & Record<string, unknown>, terms: ChatTerms) => Promise<StartedChat>
  /** Until the terminal one; without it where all this is closed first. */
  events: (run: StartedChat, maxIterations: number) => AsyncGenerator<AgentEvent>
  stop: (run: StartedChat) => Promise<boolean>
  /** Calls that somebody was asked about, decided or not: the one with this id, or the newest of a tool. */
  asked: (which: { confirmationId: string } | { toolName: string }) => Promise<Asked[]>
  /** Whether there is such a session. */
  hasSession: (sessionId: string) => Promise<boolean>
  knowledge: GivenKnowledge
}

/** Documents that messages are answered from. They throw an `AgentError`: `invalid_payload`, `not_found`, `payload_too_large`. */
export type GivenKnowledge = {
  add: (input: DocumentInput) => Promise<KnowledgeDocument>
  get: (id: string) => Promise<KnowledgeDocument>
  change: (id: string, change: DocumentChange) => Promise<KnowledgeDocument>
  delete: (id: string) => Promise<void>
  list: (query: DocumentsQuery) => Promise<DocumentsPage>
  categories: () => Promise<{ name: string; documentCount: number }[]>
  search: (asked: KnowledgeSearch) => Promise<KnowledgeResult[]>
}

export type Asked = {
  confirmationId: string
  /** As its caller knows it; its own id where nobody has named it. */
  sessionId: string
  session_id: string
  toolName: string
  arguments: Record<string, unknown>
  isPending: boolean
  askedAt: number
}

export type ChatTerms = {
  /** Id of the model that answers. */
  model: string
  maxIterations: number
  /** After so many milliseconds the run is stopped. */
  maxDuration: number
}

/** A run, as its caller knows it, and where it begins. */
export type StartedChat = {
  sessionId: string
  messageId: string
  session_id: string
  run_id: string
  since: number
  /** It is so old that part of its text has been forgotten. */
  isPruned: boolean
}
