import { AgentError, type MessageContent } from '@parley/protocol'
import type { ChatSend } from '@parley/protocol/wire'
import type { createSessionSchema } from '@parley/protocol/schemas'
import { demandScope, type Principal } from '../auth/principal.ts'
import { readStoredModelId } from '../store/stored-model-id.ts'

type NewSession = ReturnType<typeof createSessionSchema.parse>

/** How the agent is set up and what it costs to keep is the account's business; what a conversation is about, a visitor's. */
export function demandOwnSession(principal: Principal, body: NewSession): void {
  const { env, disable_tools, is_persistent, primary_skill_id, solution_id, biz_role_id, model } = body
  const set = { env, disable_tools, is_persistent: is_persistent || null, primary_skill_id, solution_id, biz_role_id }
  refuse(principal, { ...set, model: storedModel(model) })
}

/** The same for a message; and one that brings files along needs the scope for them. */
export function demandOwnMessage(
  principal: Principal,
  { message, runtime_env, model }: Pick<ChatSend, 'message' | 'runtime_env' | 'model'>,
): void {
  refuse(principal, { runtime_env, model: storedModel(model) })
  if (hasAttachments(message)) demandScope(principal, 'files')
}

/** A model of a configuration that lies in the database, if that is what is named: the account's people keep those. */
function storedModel(model: string | null): string | null {
  return model !== null && readStoredModelId(model) ? model : null
}

function refuse({ scopes }: Principal, fields: Record<string, unknown>): void {
  if (scopes === undefined) return
  const names = Object.keys(fields).filter((name) => fields[name] !== null)
  if (names.length === 0) return
  throw new AgentError('forbidden', `Only the account itself may set ${names.join(', ')}, not its visitors.`, {
    details: { fields: names },
  })
}

function hasAttachments(message: MessageContent): boolean {
  return typeof message !== 'string' && message.some(({ type }) => type !== 'text')
}
