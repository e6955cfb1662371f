import { AgentError, type MessageContent } from '@parley/protocol'
import type { ChatSend } from '@parley/protocol/wire'
import type { createSessionSchema } from '@parley/protocol/schemas'
import type { Scope } from '@parley/protocol/rest'
import type { Principal } from './service.ts'

/** What something needs of whoever asks: to belong to the account, or a visitor's token with this scope. */
export type Need = Scope | 'account'

/** Nothing said is as good as `account`: what nobody thought of is no visitor's. */
export function demandScope({ scopes }: Pick<Principal, 'scopes'>, need: Need = 'account'): void {
  if (mayDo({ scopes }, need)) return
  if (need === 'account') throw new AgentError('forbidden', 'Only the account itself may do this, not its visitors.')
  throw new AgentError('forbidden', `This token was made without the scope ${need}.`, { details: { scope: need } })
}

export function mayDo({ scopes }: Pick<Principal, 'scopes'>, need: Need): boolean {
  return scopes === undefined || (need !== 'account' && scopes.includes(need))
}

type NewSession = ReturnType<typeof createSessionSchema.parse>

/** How the agent is set up and what it costs to keep is the account's business; what a conversation is about, a visitor's. */
export function demandOwnSession(principal: Principal, body: NewSession): void {
  const { env, disable_tools, is_persistent, primary_skill_id, solution_id, biz_role_id } = body
  const set = { env, disable_tools, is_persistent: is_persistent || null, primary_skill_id, solution_id, biz_role_id }
  refuse(principal, set)
}

/** The same for a message; and one that brings files along needs the scope for them. */
export function demandOwnMessage(
  principal: Principal,
  { message, runtime_env }: Pick<ChatSend, 'message' | 'runtime_env'>,
): void {
  refuse(principal, { runtime_env })
  if (hasAttachments(message)) demandScope(principal, 'files')
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
