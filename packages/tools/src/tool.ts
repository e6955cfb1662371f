/** Whatever JSON can carry: what a tool is given, and what it gives back. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** What a tool may know of the call it works for. */
export type ToolContext = {
  session_id: string
  /** Your own id of the visitor whose session it is; `null` in sessions of the account's own people. */
  subject: string | null
  /** Of this call. It stays the same when the call is begun again after a crash: a key for whoever must do it once. */
  tool_call_id: string
  /** 1, and more when the call is begun again after a crash. */
  attempt: number
  /** The session's own directory, which the model's file tools see too. */
  workspace: string
  /**
   * Aborted when somebody stops the run, when the time is up, and when the server must stop. Settle soon after: what you
   * return then is thrown away, and a process that goes on for longer than a moment is ended.
   */
  signal: AbortSignal
  /** Says how far it is; shown to people while it works, never to the model. */
  progress: (message: string, done?: { current: number; total?: number }) => void
}

/** A tool as it is written. */
export type ToolOptions<Schema, Input> = {
  /** What the model calls it by: letters, digits, `_` and `-`, 64 at most; neither `agent` nor `fork` in it. */
  name: string
  /** For the model: what it does, when to use it, what it gives back. */
  description: string
  /** Its arguments, an object: a zod schema, or a JSON Schema written `as const`. Nothing else ever reaches `run`. */
  input: Schema
  /** What people read in place of the name. */
  display_name?: string | { zh: string; en: string }
  /** What can go wrong at worst. `high` asks a person before every call. Default `medium`, which does not. */
  risk?: 'low' | 'medium' | 'high'
  /** Asks a person first, whatever the risk. Default false. */
  requiresConfirmation?: boolean
  /** It changes nothing: may run beside others and while the agent only plans. Default false. */
  readOnly?: boolean
  /**
   * What becomes of a call that had begun when the server died. `never` (default): it is reported as unknown, and the model
   * decides. `safe`: it runs again; twice is harmless. `keyed`: it runs again with the same `tool_call_id`; whoever does
   * the deed promises to do it once for each.
   */
  replay?: 'safe' | 'never' | 'keyed'
  /** After so many milliseconds it is aborted and fails. Default 120 000, an hour at most. */
  timeoutMs?: number
  /**
   * Does it. What it returns is the result that people and the model see: JSON, 100 000 characters of it at most. A throw is
   * a result too, an error whose message the model reads; it ends neither the run nor the server.
   *
   * A process in which a call leaves something that keeps it alive (a timer, a connection) does no further call. What
   * shall serve many calls, a pool say, must keep nobody (`unref`; for `pg` `allowExitOnIdle: true`).
   */
  run: (input: Input, context: ToolContext) => unknown
}

/** A tool as the server takes it, made by `defineTool`. */
export type OwnTool = {
  readonly [OWN_TOOL]: 1
  readonly name: string
  readonly description: string
  readonly display_name: { zh: string; en: string }
  /** A JSON Schema, whichever way it was written. */
  readonly input: { [key: string]: Json }
  readonly risk: 'low' | 'medium' | 'high'
  readonly requiresConfirmation: boolean
  readonly readOnly: boolean
  readonly replay: 'safe' | 'never' | 'keyed'
  readonly timeoutMs: number
  /** Input as `run` gets it, or what is wrong with it; absent where only the JSON Schema tells. */
  readonly parse?: (input: unknown) => Promise<{ ok: true; value: unknown } | { ok: false; problems: string[] }>
  readonly run: (input: never, context: ToolContext) => unknown
}

/** The same in every copy of this package. */
export const OWN_TOOL: unique symbol = Symbol.for('parley.tool') as never
