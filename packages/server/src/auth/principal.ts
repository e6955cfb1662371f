import { AgentError } from '@parley/protocol'
import type { Scope } from '@parley/protocol/rest'
import type { Caller } from './tools.ts'

/** Who asks. Everything a caller may see or touch belongs to this user; a foreign id is as good as none. */
export type Principal = {
  user_id: string
  /** The product's own id of a visitor. Absent: somebody of the account itself. */
  subject?: string
  /** What a visitor's token is good for. Absent: everything. */
  scopes?: readonly Scope[] | undefined
}

/** What something needs of whoever asks: to belong to the account, or a visitor's token with this scope. */
export type Need = Scope | 'account'

export function asPrincipal({ user_id, visitor }: Caller): Principal {
  return visitor ? { user_id, subject: visitor.subject, scopes: visitor.scopes } : { user_id }
}

/** Nothing said is as good as `account`: what nobody thought of is no visitor's. */
export function demandScope({ scopes }: Pick<Principal, 'scopes'>, need: Need = 'account'): void {
  if (mayDo({ scopes }, need)) return
  if (need === 'account') throw new AgentError('forbidden', 'Only the account itself may do this, not its visitors.')
  throw new AgentError('forbidden', `This token was made without the scope ${need}.`, { details: { scope: need } })
}

export function mayDo({ scopes }: Pick<Principal, 'scopes'>, need: Need): boolean {
  return scopes === undefined || (need !== 'account' && scopes.includes(need))
}
