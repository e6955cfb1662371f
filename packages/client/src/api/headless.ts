import type { ChatEndPayload } from '@parley/protocol'
import type { CreateSession } from '@parley/protocol/rest'
import type { Ports } from '../ports.ts'
import type { AgentSession, SendOptions } from '../session/agent-session.ts'
import { jsonSchemaOf, type OutputOf, type OutputSchema, readOutput } from './output-schema.ts'
import type { SessionsApi } from './sessions-api.ts'

export type HeadlessOptions = {
  /** What the result must satisfy, JSON Schema or a zod schema; the result is then of its type, else the answer's text. */
  schema?: OutputSchema
  model?: string
  /** Default 300 000. The run is stopped when it takes longer. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Called once with the session that is run in, to watch what happens there. It closes when the run is over. */
  onSession?: (session: AgentSession) => void
}

/** A headless run ended without a result. `code`: one of the protocol's, `interrupted`, `timeout` or `result_lost`. */
export class HeadlessError extends Error {
  override readonly name = 'HeadlessError'
  readonly code: string
  readonly session_id: string

  // oxlint-disable-next-line max-params -- published
  constructor(code: string, message: string, session_id: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.session_id = session_id
  }
}

/** The answer's text, or with `schema` what that describes. */
export type HeadlessResult<Options> = Options extends { schema: infer Schema extends OutputSchema }
  ? OutputOf<Schema>
  : HeadlessOptions extends Options
    ? unknown
    : string

type WithSchema = HeadlessOptions & { schema: OutputSchema }
type InNewSession = { session?: CreateSession }
type WithIds<Result> = { session_id: string; chat_run_id: string; result: Result }

export type HeadlessApi = {
  /** One question, one result, in a session of its own. */
  run(prompt: string): Promise<string>
  run<const Options extends HeadlessOptions>(prompt: string, options: Options): Promise<HeadlessResult<Options>>
  /** `run<Weather>(…)`: the caller says what the schema describes. */
  run<Result>(prompt: string, options: WithSchema): Promise<Result>
  runInSession(session_id: string, prompt: string): Promise<string>
  runInSession<const Options extends HeadlessOptions>(
    session_id: string,
    prompt: string,
    options: Options,
  ): Promise<HeadlessResult<Options>>
  runInSession<Result>(session_id: string, prompt: string, options: WithSchema): Promise<Result>
  /** Like `run`, with the ids of what was made. */
  runWithSession(prompt: string, options?: InNewSession): Promise<WithIds<string>>
  runWithSession<const Options extends HeadlessOptions & InNewSession>(
    prompt: string,
    options: Options,
  ): Promise<WithIds<HeadlessResult<Options>>>
  runWithSession<Result>(prompt: string, options: WithSchema & InNewSession): Promise<WithIds<Result>>
}

const TIMEOUT_MS = 300_000
/** How long a caller who gives up waits until the server knows. */
const STOP_MS = 2_000

export function createHeadlessApi(sessions: SessionsApi, ports: Ports): HeadlessApi {
  const inSession = async (session_id: string, prompt: string, options: HeadlessOptions) => {
    // Nobody looks at the history here: one turn of it is enough to be ready.
    using session = sessions.connect(session_id, { limit: 1 })
    options.onSession?.(session)
    return await runHeadless({ session, ports }, prompt, options)
  }
  const withSession = async (
    prompt: string,
    { session, ...options }: HeadlessOptions & { session?: CreateSession } = {},
  ) => {
    const { model } = options
    const { session_id } = await sessions.createSessionWithRequest({ ...session, ...(model && { model }) })
    return { session_id, ...(await inSession(session_id, prompt, options)) }
  }
  const api = {
    run: async (prompt: string, options?: HeadlessOptions) => (await withSession(prompt, options)).result,
    runInSession: async (session_id: string, prompt: string, options: HeadlessOptions = {}) =>
      (await inSession(session_id, prompt, options)).result,
    runWithSession: withSession,
  }
  return api as HeadlessApi
}

type Setting = { session: AgentSession; ports: Ports }

async function runHeadless({ session, ports }: Setting, prompt: string, options: HeadlessOptions) {
  const { schema, model, timeoutMs = TIMEOUT_MS, signal } = options
  const timeout = ports.timeout(timeoutMs)
  const stop = signal ? AbortSignal.any([signal, timeout]) : timeout
  const ended = endOfRun(session, stop)
  ended.catch(() => {}) // A refused message rejects below; the end then never comes.
  try {
    await session.ready({ signal: stop })
    const send: SendOptions = {
      headless: true,
      signal: stop,
      ...(schema && { output_schema: jsonSchemaOf(schema) }),
      ...(model && { model }),
    }
    const { run_id } = await session.send(prompt, send)
    const output = resultOf(await ended)
    return { chat_run_id: run_id, result: schema ? await fitting(schema, output, session.id) : output }
  } catch (error) {
    if (stop.aborted) await session.stop({ signal: ports.timeout(STOP_MS) }).catch(() => {})
    throw failure(error, { session, timeout, timeoutMs })
  }
}

function endOfRun(session: AgentSession, signal: AbortSignal): Promise<ChatEndPayload> {
  return new Promise((resolve, reject) => {
    session.on('chat:end', resolve)
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

function resultOf({ session_id, status, result, error }: ChatEndPayload): unknown {
  if (status !== 'completed') {
    const code = error?.code ?? (status === 'interrupted' ? 'interrupted' : 'internal_error')
    throw new HeadlessError(code, error?.message ?? `The run ended as ${status}.`, session_id)
  }
  if (result) return result.output
  throw new HeadlessError(
    'result_lost',
    'The run ended while the connection was away; its answer is in the session.',
    session_id,
  )
}

/** The server has checked the shape; a schema of the caller's may want more. */
async function fitting(schema: OutputSchema, output: unknown, session_id: string): Promise<unknown> {
  const read = await readOutput(schema, output)
  if (!read.issues) return read.value
  const problems = read.issues.map(({ message }) => message).join('; ')
  throw new HeadlessError('output_schema_unsatisfied', `The result does not fit its schema: ${problems}`, session_id)
}

type Circumstances = { session: AgentSession; timeout: AbortSignal; timeoutMs: number }

function failure(error: unknown, { session, timeout, timeoutMs }: Circumstances): HeadlessError {
  if (error instanceof HeadlessError) return error
  if (timeout.aborted)
    return new HeadlessError('timeout', `No result within ${timeoutMs} ms; the run was stopped.`, session.id, {
      cause: error,
    })
  const { code = 'interrupted', message } = error as { code?: string; message: string }
  return new HeadlessError(code, message, session.id, { cause: error })
}
