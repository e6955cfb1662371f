/**
 * What the core needs of the world. Each port is the smallest interface that does the job, its contract in the comment;
 * `main.ts` builds the real ones, tests build others. Nothing here knows a database, a socket or a provider.
 */

import type { MemoryRef } from '@parley/protocol'
import type { AskReason, FileChange } from '@parley/protocol/rest'
import type { ModelSource } from '@parley/protocol/rest'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
export type JsonObject = { [key: string]: JsonValue }

/** A tool as the model sees it. `input` is a JSON Schema of type object. */
export type ToolSpec = { name: string; description: string; input: JsonObject }

/** What a user may say: text, and images as `data:` or `https:` URLs. */
/** `recalled`: stands with the message though its sender did not say it. */
export type UserPart =
  | { type: 'text'; text: string; recalled?: RecalledPart }
  | { type: 'image'; url: string; media_type: string | null }

/** What found it, and the passage that it is; `null` for the words around passages. A memory says how turns show it. */
export type RecalledPart = { by: string; passage: number | null; memory?: MemoryRef }

export type ModelToolCall = {
  /** The provider's id of the call; it goes back unchanged with the result. */
  id: string
  name: string
  /** The raw JSON text the model wrote; may be invalid, nobody repairs it silently. */
  arguments: string
}

/**
 * One piece of an answer, in the order the model made it. `metadata` is whatever the provider wants back intact with
 * the next request (a thinking signature, a redacted block); it is stored and never looked into.
 */
export type AnswerPart =
  | { type: 'text'; text: string; metadata?: JsonObject }
  | { type: 'thinking'; text: string; metadata?: JsonObject }
  | ({ type: 'tool_call'; metadata?: JsonObject } & ModelToolCall)

/** One message of a conversation as the model gets it, independent of the provider. */
export type ModelMessage =
  | { role: 'user'; content: UserPart[] }
  | { role: 'assistant'; content: AnswerPart[] }
  | { role: 'tool'; tool_call_id: string; tool_name: string; text: string; is_error: boolean }

/** What a model call is given: the same bytes make the same call. */
export type ModelInput = Omit<ModelRequest, 'signal' | 'pace' | 'purpose'>

export type ModelRequest = {
  system: string
  messages: readonly ModelMessage[]
  /** In a stable order: the request's prefix is byte-stable from call to call, so that prompt caches hit. */
  tools: readonly ToolSpec[]
  /** `required`: the model must call some tool; default `auto`. */
  toolChoice?: 'auto' | 'required'
  maxOutputTokens?: number
  /** What it is for, when not for the conversation itself. Providers are not told; the demo has a script for it. */
  purpose?: 'suggestions' | 'compaction' | 'title'
  /** When text goes on that came in pieces; without it, every piece goes on by itself. */
  pace?: TextPace
  signal: AbortSignal
}

/** Of all answers that are under way: what has gathered of each goes on at the same moments. */
export interface TextPace {
  /** Calls back once, at the next moment; never before this returns. */
  next(goOn: () => void): void
}

/** Token counts as the provider reports them; `input_tokens` includes what came from a cache. */
export type Usage = {
  input_tokens: number
  output_tokens: number
  cache_read_tokens?: number
  cache_write_tokens?: number
}

/** `timeout`: nothing came for longer than anybody waits. */
export type FailureKind = 'rate_limit' | 'overflow' | 'auth' | 'network' | 'timeout' | 'server' | 'refused' | 'invalid'

export type ModelFailure = {
  kind: FailureKind
  /** For people; holds no key and no stack. */
  message: string
  /** What the provider asked us to wait, if it did. */
  retryAfterMs?: number
  /** Of an overflow: how many tokens would have fitted, where the provider says so. */
  contextWindow?: number
  /** Nothing came for too long. */
  isTimeout?: true
  /** True when the answer broke off after the provider had accepted the call (`llm_stream_incomplete`). */
  incomplete: boolean
}

/**
 * What happens during one model call.
 *
 *   (retry)* accepted (thinking | text | part_end | tool_call)* (finish | failed)
 *   (retry)* failed
 */
export type ModelEvent =
  /** A refused attempt; the next one starts after `delayMs` and asks `model`. Only `withRetries` sends it. */
  | { type: 'retry'; attempt: number; delayMs: number; failure: ModelFailure; model: string }
  /** The provider took the request: from here on the turn exists. `model` is the id that answers. */
  | { type: 'accepted'; model: string }
  | { type: 'thinking'; delta: string }
  | { type: 'text'; delta: string }
  /**
   * The part under way is complete; carries what must go back with it. With no delta before it, it is a part without
   * text that exists for its metadata only (thinking that the provider keeps to itself).
   */
  | { type: 'part_end'; part: 'thinking' | 'text'; metadata?: JsonObject }
  /** A call whose arguments are complete. */
  | { type: 'tool_call'; call: ModelToolCall; metadata?: JsonObject }
  | { type: 'finish'; reason: 'stop' | 'tool_calls' | 'length' | 'refused'; usage: Usage | null }
  | { type: 'failed'; failure: ModelFailure; usage: Usage | null }

/**
 * One provider call. A failure is a value in the stream, never a throw: half an answer is still an answer. After an
 * abort the stream just ends, within a moment, the connection closed. Deltas are never empty.
 */
export interface Model {
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}

/** Decides what the model gets, before each call: the conversation so far and the tools on offer, and what belongs to them. */
export interface Context {
  assemble(call: Pick<ModelInput, 'messages' | 'tools' | 'toolChoice'>): Promise<ModelInput>
}

/** A model that can be chosen, as `GET /api/config/models` lists it. */
export type ModelEntry = {
  id: string
  name: string
  /** Tokens; 0 when unknown. */
  contextWindow: number
  supportsVision: boolean
  supportsThinking: boolean
  /** Where it comes from, for the account's people. */
  source?: ModelSource
  model: Model
}

/**
 * `now` is milliseconds since 1970, and can be set at any time, forward or back: for dates alone. `elapsed` is milliseconds
 * since some moment, and cannot: for how long something takes. `sleep` ends early, without an error, when aborted.
 */
export interface Clock {
  now(): number
  elapsed(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** Makes identifiers such as `sess_…`, at least 96 random bits each. */
export interface Ids {
  next(prefix: string): string
}

/** What a tool gives back. `result` is what people see; a failure is a result too, marked as one. */
export type ToolOutput = { result: JsonValue; isError?: boolean }

/** Input that fits the tool, or a sentence that tells the model what is wrong with it. */
export type ToolInput = { ok: true; value: JsonValue } | { ok: false; message: string }

/** One tool, bound to the session it works for. */
export interface Tool {
  readonly name: string
  /** Shown to users in preference to the name. */
  readonly displayName: string
  readonly description: string
  readonly input: JsonObject
  /** What can go wrong at worst, for people who are asked. */
  readonly risk: Risk
  /** Read-only calls of one answer run side by side; the others one after another. */
  readonly readOnly: boolean
  /**
   * What a restart does with a call that was begun and never settled. `never`: report that nobody knows. `safe`: run it
   * again, because twice is harmless. `keyed`: run it again under the same `tool_call_id`, because whoever does the deed
   * promises to do it once for each.
   */
  readonly replay: Replay
  /** At once for a schema of our own; one that somebody else wrote is looked at elsewhere, and within limits. */
  check(input: JsonValue): ToolInput | Promise<ToolInput>
  /** What people who are asked are shown of a call. Default: its arguments. */
  preview?(input: JsonValue): string
  /** What a call would make of a file, as things are now, for people who are asked. `null`: it cannot be told. */
  change?(input: JsonValue): Promise<FileChange | null>
  /**
   * Of a tool that only changes our own database: what it does, for whoever drives the loop to do in the transaction that
   * stores its result. `run` is then never called.
   */
  effect?(input: JsonValue): ToolEffect
  /** Called before a call is on record as begun, for what must be done first and changes nothing. Settles soon after an abort. */
  prepare?(signal: AbortSignal): Promise<void>
  /**
   * Settles soon after an abort. A throw is an error result: its message goes to the model. `attempt` is above 1 when a
   * call is begun again after a restart.
   */
  run(input: JsonValue, context: { tool_call_id: string; attempt: number; signal: AbortSignal }): Promise<ToolOutput>
  /**
   * Of a tool whose deed outlives a server: asked about a call that was begun before, when it is to be taken up or given up.
   * `true`: whoever does the deed has said that it is under way, so the call is carried on, whatever `replay` says, and
   * `run` only waits for the result. Absent: no such tool.
   */
  isUnderWay?(tool_call_id: string): Promise<boolean>
}

export type Risk = 'low' | 'medium' | 'high'

export type Replay = 'safe' | 'never' | 'keyed'

/** Opaque to the core. */
export type ToolEffect = { readonly effect: unknown }

/**
 * Whether a call may run. `deny` says why, to the model; `ask` wants a person's consent first, to what the digest stands
 * for: this tool with exactly these arguments.
 */
export type Verdict = { type: 'allow' } | AskVerdict | { type: 'deny'; reason: string }

/** `why`: for the person who is asked. */
export type AskVerdict = { type: 'ask'; digest: string; why: AskReason }

export interface Tools {
  /** In a stable order. */
  list(): readonly Tool[]
  find(name: string): Tool | undefined
  /** The one policy, on the exact arguments. It forbids nothing later that it allows now. */
  judge(tool: Pick<Tool, 'name'>, input: JsonValue): Verdict
}
