import { AgentError, type AskUserAnswer } from '@parley/protocol'
import { type ChatSend, isEmptyMessage } from '@parley/protocol/wire'
import { mayDo, type Principal } from '../auth/principal.ts'
import type { CheckedEdit } from '../confirm/check-edit.ts'
import type { Meter } from '../context/compaction/meter.ts'
import type { RecallAll } from '../context/recall.ts'
import type { JsonObject } from '../ports.ts'
import { acceptAnswer, askedBy } from '../runs/accept/accept-answer.ts'
import { acceptMessage } from '../runs/accept/accept-message.ts'
import type { DeclineOptions } from '../runs/accept/decline.ts'
import { bodyDigest, findRepeated } from '../runs/accept/idempotency.ts'
import { busy, type MessageRequest, type Request } from '../runs/accept/request.ts'
import { plainText, type StoredMessage } from '../runs/accept/user-message.ts'
import { demandSchema } from '../runs/drive/output-contract.ts'
import { findGate } from '../store/gate.ts'
import { isQuietRun } from '../store/run-rows.ts'
import { demandSession, type SessionRow } from '../store/session-record.ts'
import { accept, acceptedOf, type AcceptingOptions } from './accepting.ts'
import { storeAttachments, type StoreFile } from './attachments.ts'
import { modelNotAvailable } from './model-not-available.ts'
import type { Sessions } from './service.ts'
import { demandOwnMessage } from './visitor-rules.ts'

export type ModelChoice = {
  /** The model a session gets when neither it nor its agent names one. */
  defaultModel: () => string
  /** The one that the session's agent names. Rejects when that agent cannot be had here. */
  modelOfAgent: (session: SessionRow) => Promise<string | undefined>
  hasModel: (id: string) => Promise<boolean>
  /** Whether the model that a session has chosen is still to be asked. */
  mayHaveModel: (id: string) => Promise<boolean>
}

export type SendOptions = AcceptingOptions &
  DeclineOptions &
  ModelChoice & {
    checkEdit: (session: SessionRow, tool_name: string, edited: JsonObject) => Promise<CheckedEdit>
    storeFile: StoreFile
    meter: Meter
    /** Looks for what belongs to a message. It never rejects: without it the message is the same message. */
    recall: RecallAll
  }

export function sendTo(options: SendOptions): Sessions['send'] {
  const { engine } = options
  return async (principal, command, { history, ...terms } = {}) => {
    const { session_id, askuser_answer: answer } = command
    const { user_id, key_id } = principal
    const session = await engine.read(() => demandSession(engine, user_id, session_id))
    demandOwnMessage(principal, command)
    demandNothingElse(command)
    if (command.output_schema) await demandSchema(command.output_schema as JsonObject)
    const model = await modelFor(session, command.model, options)
    if (!answer && isEmptyMessage(command.message) && session.status !== 'running')
      throw new AgentError('invalid_payload', 'The message is empty.')
    if (answer && command.plan_decision)
      throw new AgentError('invalid_payload', 'plan_decision: goes with a message, not with an answer.')
    // Its turns show it.
    await options.meter.windowOf(model)
    const digest = bodyDigest(command)
    const asked = { ...command, user_id, key_id, digest, model, isModelChosen: command.model !== null, terms, history }
    const repeated = await engine.read(() => findRepeated(asked))
    if (repeated) return acceptedOf(session_id, repeated)
    return answer ? sendAnswer(principal, { ...asked, answer }, options) : sendMessage(asked, session, options)
  }
}

type Asked = Omit<ChatSend, 'model'> & Omit<Request, 'run_id'> & Pick<MessageRequest, 'history'>

async function sendMessage(asked: Asked, session: SessionRow, options: SendOptions) {
  const { session_id } = asked
  const message = await storeMessage(asked, options)
  const recalled = await options.recall({
    session,
    text: plainText(message),
    skips: asked.skip_knowledge ? ['knowledge'] : [],
  })
  return accept(
    { session_id, point: 'C1', work: (run_id) => acceptMessage({ ...asked, message, recalled, run_id }, options) },
    options,
  )
}

async function sendAnswer(principal: Principal, asked: Asked & { answer: AskUserAnswer }, options: SendOptions) {
  const { session_id } = asked
  // With an answer, the message is only shown.
  const message = plainText(asked.message) || null
  const decider = { decided_by: principal.user_id, mayDecide: mayDo(principal, 'decide') }
  const edit = await checkEdited(asked, options)
  const request = { ...asked, message, edit, decider }
  return accept({ session_id, point: 'C8', work: (run_id) => acceptAnswer({ ...request, run_id }, options) }, options)
}

/** Before the transaction: a schema that somebody else wrote may take its time. */
async function checkEdited(
  { answer, user_id, session_id }: Asked & { answer: AskUserAnswer },
  options: SendOptions,
): Promise<CheckedEdit | null> {
  const { engine, checkEdit } = options
  if (!answer.edited_arguments) return null
  const session = await engine.read(() => demandSession(engine, user_id, session_id))
  const asked = await engine.read(() => askedBy(answer, session, options))
  return asked ? checkEdit(session, asked.tool_name, answer.edited_arguments as JsonObject) : null
}

/** Attachments go into the workspace before the message is accepted, but not those of one that must be refused. */
async function storeMessage(
  { message, session_id }: Pick<Asked, 'message' | 'session_id'>,
  { engine, storeFile }: SendOptions,
): Promise<StoredMessage> {
  if (typeof message === 'string') return message
  const run_id = (await engine.read(() => findGate(session_id)))?.run_id ?? null
  if (run_id !== null && !isQuietRun(run_id)) throw busy(session_id, run_id)
  return storeAttachments(message, session_id, storeFile)
}

/** The model that is asked: the one that was named now, the session's as long as there is one, its agent's, or the default. */
export async function modelFor(
  session: SessionRow,
  named: string | null,
  { hasModel, mayHaveModel, defaultModel, modelOfAgent }: ModelChoice,
): Promise<string> {
  if (named !== null && !(await hasModel(named))) throw modelNotAvailable(named)
  const ofAgent = await modelOfAgent(session)
  if (named !== null) return named
  if (session.model !== null && (await mayHaveModel(session.model))) return session.model
  if (ofAgent !== undefined && !(await mayHaveModel(ofAgent))) throw modelNotAvailable(ofAgent, session.agent)
  return ofAgent ?? defaultModel()
}

/** What nothing is behind yet is refused by its name: without it, the message would mean something else. */
function demandNothingElse({ replay_decision, whatif, askuser_answer }: ChatSend): void {
  if (replay_decision !== null)
    throw new AgentError('not_supported', 'replay_decision: this server does not support it; nothing was started.')
  if (whatif && askuser_answer)
    throw new AgentError('invalid_payload', 'whatif: goes with a message, not with an answer.')
}
