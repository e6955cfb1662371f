import type { FileChange } from '@parley/protocol/rest'
import { z } from 'zod'
import type { JsonObject, JsonValue, Replay, Risk, Tool, ToolInput, ToolOutput } from '../ports.ts'
import type { Effect, NoticeName } from '../store/effect.ts'
import { mendInput } from './mend-input.ts'

/** Tells the session's clients something while a tool works. Stored like everything else, and shown after that. */
export type TellClients = (event: NoticeName, payload: JsonObject) => void

/** What a tool may know of the session it works for. */
export type ToolContext = {
  session_id: string
  /** The product's own id of the visitor whose session it is; `null` in sessions of the account's own people. */
  subject: string | null
  tool_call_id: string
  /** Above 1 when the call is begun again after a restart, under the same `tool_call_id`. */
  attempt: number
  /** The session's directory; nothing outside it may be touched. */
  workspace: string
  /** Variables that the session was given for its tools. */
  env: Readonly<Record<string, string>>
  signal: AbortSignal
  notify: TellClients
  /** Asked by file tools once they hold the place that a path leads to, relative to the workspace. Throws if another was judged. */
  mayTouch?: (place: string) => void
}

/** Where a call would change a file. */
export type ChangePlace = { workspace: string; mayTouch: ((place: string) => void) | undefined }

export type Provider =
  | 'file_ops'
  | 'bash'
  | 'builtin'
  | 'fork'
  | 'search'
  | 'webfetch'
  | 'skill'
  | 'mcp'
  | 'langchain'
  | 'http'
  | 'own'

/** A tool as it is written: one value, one file. */
export type ToolDefinition = {
  name: string
  display_name: { zh: string; en: string }
  description: string
  provider: Provider
  /** What can go wrong at worst; `high` asks a person first. Default `medium`. */
  risk: Risk
  /** Asks a person first, whatever the risk. Default false. */
  requiresConfirmation: boolean
  readOnly: boolean
  /** `false`: it changes something, but never files of the workspace. Default: what is not read-only may. */
  writesFiles?: false
  /** After a restart: `safe` and `keyed` are run again, `never` is reported as unknown. Default `never`. */
  replay: Replay
  /** In which mode it is offered, where its effect on the world does not tell. Default: read-only tools in both. */
  planning?: 'planning' | 'executing' | 'both'
  /** The URL that a call would ask, where the model chooses it: a host that nobody has named asks a person first. */
  reaches?: (input: JsonValue) => string
  /** What people who are asked are shown of a call. Default: its arguments. */
  preview?: (input: JsonValue) => string
  /** What a call would make of a file, for people who are asked. */
  change?: (input: JsonValue, place: ChangePlace) => Promise<FileChange>
  input: JsonObject
  check: (input: JsonValue) => ToolInput | Promise<ToolInput>
  /** Instead of `run`: it only changes our own database, in the transaction that stores its result. */
  effect?: (input: JsonValue, session_id: string) => Effect
  /** A throw is an error result. */
  run: (input: JsonValue, context: ToolContext) => Promise<ToolOutput>
  /** See `Tool` of `ports.ts`. */
  isUnderWay?: (tool_call_id: string) => Promise<boolean>
}

type Written<Schema extends z.ZodType> = Omit<
  ToolDefinition,
  | 'input'
  | 'check'
  | 'run'
  | 'effect'
  | 'readOnly'
  | 'replay'
  | 'risk'
  | 'requiresConfirmation'
  | 'reaches'
  | 'preview'
  | 'change'
  | 'isUnderWay'
> & {
  input: Schema
  reaches?: ((input: z.output<Schema>) => string) | undefined
  preview?: (input: z.output<Schema>) => string
  change?: (input: z.output<Schema>, place: ChangePlace) => Promise<FileChange>
  risk?: Risk
  requiresConfirmation?: boolean
  readOnly?: boolean
  replay?: ToolDefinition['replay']
  /** Returns what people and the model see. A throw is an error result. */
  run: (input: z.output<Schema>, context: ToolContext) => Promise<JsonValue>
}

const PROBLEMS_SHOWN = 10

export function defineTool<Schema extends z.ZodType>({
  input,
  run,
  risk = 'medium',
  requiresConfirmation = false,
  readOnly = false,
  replay = 'never',
  reaches,
  preview,
  change,
  ...named
}: Written<Schema>): ToolDefinition {
  return {
    ...named,
    ...(reaches && { reaches: (given) => reaches(given as z.output<Schema>) }),
    ...(preview && { preview: (given) => preview(given as z.output<Schema>) }),
    ...(change && { change: (given, place) => change(given as z.output<Schema>, place) }),
    risk,
    requiresConfirmation,
    readOnly,
    replay,
    input: jsonSchemaOf(input),
    check(given) {
      const asGiven = input.safeParse(given)
      const parsed = asGiven.success ? asGiven : input.safeParse(mendInput(given, asGiven.error.issues))
      if (parsed.success) return { ok: true, value: parsed.data as JsonValue }
      const problems = parsed.error.issues
        .slice(0, PROBLEMS_SHOWN)
        .map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
      return { ok: false, message: `${named.name} was called with arguments that do not fit. ${problems.join('; ')}` }
    },
    run: async (given, context) => ({ result: await run(given as z.output<Schema>, context) }),
  }
}

/** A tool that only changes our own database: it happens exactly once, whatever fails around it. */
export function defineEffect<Schema extends z.ZodType>({
  effect,
  ...written
}: Omit<Written<Schema>, 'run' | 'effect' | 'provider' | 'risk'> & {
  effect: (input: z.output<Schema>, session_id: string) => Effect
}): ToolDefinition {
  const run = async () => Promise.reject(new Error('An effect is not run by itself.'))
  return {
    ...defineTool({ ...written, provider: 'builtin', risk: 'low', run }),
    effect: (input, session_id) => effect(input as z.output<Schema>, session_id),
  }
}

/** What a tool gets of the session it works for. The workspace is made when the first tool wants it. */
export type ToolSession = Pick<ToolContext, 'session_id' | 'env' | 'notify'> & {
  workspace: () => Promise<string>
  subject: () => Promise<string | null>
  /** Called before a call that may change files of the workspace. */
  beforeWrite?: ((signal: AbortSignal) => Promise<void>) | undefined
  mayTouch?: (input: JsonValue, place: string) => void
}

/** For one session: everything the tool needs beside its arguments is given now. */
export function bindTool(
  { run, effect, change, display_name, ...tool }: ToolDefinition,
  language: 'zh' | 'en',
  { workspace, subject, beforeWrite, mayTouch, ...session }: ToolSession,
): Tool {
  const mayWrite = !tool.readOnly && !effect && tool.writesFiles !== false
  return {
    ...tool,
    ...(beforeWrite && mayWrite && { prepare: beforeWrite }),
    displayName: display_name[language],
    ...(effect && { effect: (input) => ({ effect: effect(input, session.session_id) }) }),
    ...(change && {
      change: async (input) =>
        change(input, { workspace: await workspace(), mayTouch: (place) => mayTouch?.(input, place) }),
    }),
    run: async (input, context) =>
      run(input, {
        ...context,
        ...session,
        workspace: await workspace(),
        subject: await subject(),
        mayTouch: (place) => mayTouch?.(input, place),
      }),
  }
}

/** As models like it: no dialect line, no bounds that only say "an integer". */
function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input' }) as JsonObject
  return withoutSafeIntegerBounds(json) as JsonObject
}

function withoutSafeIntegerBounds(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutSafeIntegerBounds)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(
    ([, item]) => item !== Number.MAX_SAFE_INTEGER && item !== Number.MIN_SAFE_INTEGER,
  )
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutSafeIntegerBounds(item)]))
}
