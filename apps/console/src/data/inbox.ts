import type { TurnProjection } from '@parley/protocol'
import type { ConfirmationDecision, InboxConfirmation, InboxQuery, PolicyRule } from '@parley/protocol/rest'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'

/** What waits for the reader, the most urgent first. */
export const inboxQuery = queryOptions({
  queryKey: ['inbox', 'pending'],
  queryFn: ({ signal }) => client.inbox.list({}, { signal }),
})

export type Outcome = NonNullable<InboxQuery['outcome']>

/** What was decided last. */
export const decidedQuery = (outcome?: Outcome) =>
  queryOptions({
    queryKey: ['inbox', 'decided', outcome ?? ''],
    queryFn: async ({ signal }) => {
      const { items } = await client.inbox.list({ status: 'decided', ...(outcome && { outcome }) }, { signal })
      return items as InboxConfirmation[]
    },
  })

export const inboxItemQuery = (id: string) =>
  queryOptions({ queryKey: ['inbox', 'item', id], queryFn: () => client.inbox.get(id), enabled: id !== '' })

export const rereadInbox = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['inbox'] })

/** Never shown before the server has said it: it decides who was first. */
export async function decide(id: string, decision: ConfirmationDecision): Promise<void> {
  try {
    await client.inbox.decide(id, decision)
  } finally {
    await rereadInbox()
  }
}

export async function approveTool(name: string, digest: string): Promise<void> {
  await client.inbox.approveTool(name, digest)
  await rereadInbox()
}

type Answer = { tool_call_id: string; selections: Record<string, number[]>; custom: Record<string, string> }

export async function answerQuestion(session_id: string, answer: Answer): Promise<void> {
  using session = client.sessions.connect(session_id, { limit: 1 })
  await session.answer(answer)
  await rereadInbox()
}

const SOON_MS = 1_500
/** The turn of a decision that was made a moment ago is among the last. */
const LAST_TURNS = 30

/** What became of a call that was agreed to: looked at again until it has a result. */
export const resultQuery = ({ session_id, turn_id, tool_call_id }: InboxConfirmation) =>
  queryOptions({
    queryKey: ['inbox', 'result', tool_call_id],
    queryFn: async () => {
      const path = `/api/sessions/${encodeURIComponent(session_id)}/messages`
      const turns = await client.api.get<TurnProjection[]>(path, { query: { limit: LAST_TURNS } })
      const call = turns.find((turn) => turn.turn_id === turn_id)?.tool_calls.find(({ id }) => id === tool_call_id)
      return call ? { status: call.status, result: call.result } : null
    },
    refetchInterval: ({ state }) => (isUnderWay(state.data?.status) ? SOON_MS : false),
  })

export function isUnderWay(status: string | undefined): boolean {
  return status === 'pending' || status === 'awaiting_answer'
}

export const previewQuery = (rule: PolicyRule) =>
  queryOptions({
    queryKey: ['policy', 'preview', rule],
    queryFn: () => client.policy.preview(rule),
    placeholderData: (before) => before,
  })
