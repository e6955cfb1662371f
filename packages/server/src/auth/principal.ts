import { AgentError } from '@parley/protocol'
import type { Scope, UserRole } from '@parley/protocol/rest'
import type { Caller } from './tools.ts'

/** Who asks. Everything a caller may see or touch belongs to this user; a foreign id is as good as none. */
export type Principal = {
  user_id: string
  /** Absent: no owner of this server, whatever else they are. */
  role?: UserRole
  /** The product's own id of a visitor. Absent: somebody of the account itself. */
  subject?: string
  /** What a visitor's token is good for. Absent: everything. */
  scopes?: readonly Scope[] | undefined
  /** The API key that they came with, or that their token was made with. */
  key_id?: string | undefined
}

/**
 * What something needs of whoever asks. A scope: a visitor's token with it, or anybody who is no visitor. `account`: a person
 * of this server, about what is their own. `owner`: it is the server's, and not one person's.
 */
export type Need = Scope | 'account' | 'owner'

type Rights = Pick<Principal, 'role' | 'scopes'>

/** Who may do what: every route and every command asks this, and nothing else. Whose something is, is asked where it lies. */
export function mayDo({ role, scopes }: Rights, need: Need): boolean {
  if (need === 'owner') return role === 'owner' && scopes === undefined
  return scopes === undefined || (need !== 'account' && scopes.includes(need))
}

/** Nothing said is as good as `owner`: what nobody thought of is the server's. */
export function demandScope(rights: Rights, need: Need = 'owner'): void {
  if (mayDo(rights, need)) return
  if (rights.scopes === undefined) throw new AgentError('forbidden', 'Only an owner of this server may do this.')
  if (need === 'account' || need === 'owner')
    throw new AgentError('forbidden', 'Only the account itself may do this, not its visitors.')
  throw new AgentError('forbidden', `This token was made without the scope ${need}.`, { details: { scope: need } })
}

export function asPrincipal({ user_id, role, visitor, credential }: Caller): Principal {
  if (visitor) return { user_id, subject: visitor.subject, scopes: visitor.scopes, key_id: visitor.key_id }
  return { user_id, role, ...(credential.kind === 'key' && { key_id: credential.id }) }
}
