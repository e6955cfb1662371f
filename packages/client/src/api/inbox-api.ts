import type { Confirmation } from '@parley/protocol'
import type { ConfirmationDecision, Inbox, InboxItem, InboxQuery } from '@parley/protocol/rest'
import type { RequestOptions, Rest } from '../rest/rest.ts'

export type InboxApi = {
  /** What waits for this person, the most urgent first; or, with `status: 'decided'`, what was decided last. */
  list(query?: InboxQuery, options?: Pick<RequestOptions, 'signal'>): Promise<Inbox>
  /** One of them, also one that was decided long ago. */
  get(id: string): Promise<InboxItem>
  /** Decides a confirmation; `already_decided` says who was first. */
  decide(id: string, decision: ConfirmationDecision): Promise<Confirmation>
  /** Agrees, as an owner, to a foreign tool as it is offered now: `offered.digest` of what was read. */
  approveTool(name: string, digest: string): Promise<void>
}

export function createInboxApi(rest: Rest): InboxApi {
  const at = encodeURIComponent
  return {
    list: (query = {}, options = {}) => rest.get('/api/inbox', { ...options, query: { ...query } }),
    get: (id) => rest.get(`/api/inbox/${at(id)}`),
    decide: (id, decision) => rest.post(`/api/confirmations/${at(id)}`, decision),
    approveTool: async (name, digest) => void (await rest.post(`/api/tools/${at(name)}/approve`, { digest })),
  }
}
