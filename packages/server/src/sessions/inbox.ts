import { AgentError, openQuestions } from '@parley/protocol'
import type { InboxConfirmation, InboxQuestion } from '@parley/protocol/rest'
import { askUserQuestionSchema } from '@parley/protocol/schemas'
import type { Principal } from '../auth/principal.ts'
import { askedAfter } from '../confirm/asked-after.ts'
import { confirmationInInbox, decidedConfirmations, waitingConfirmations } from '../confirm/inbox-confirmations.ts'
import type { TurnRow } from '../store/append.ts'
import type { Engine } from '../store/engine.ts'
import { readTurn } from '../store/read-turn.ts'
import { runSql, type Work } from '../store/work.ts'
import type { Sessions } from './service.ts'

/** Sessions whose questions are shown, those that have waited longest first. */
const MAX_ASKING = 200

/** What waits for this person: the most urgent first, then questions. Or what was decided last. */
export function readInbox({ engine }: { engine: Engine }): Sessions['inbox'] {
  return async (principal, { status, outcome, decided_by }) => {
    const { user_id } = principal
    const told = (one: InboxConfirmation) => forReader(principal, one)
    if (status === 'decided')
      return (await engine.read(() => decidedConfirmations(user_id, { outcome, decided_by }))).map(told)
    return engine.read(function* () {
      const waiting = yield* waitingConfirmations(user_id)
      return [...waiting.map(told), ...(yield* waitingQuestions(user_id))]
    })
  }
}

export function readInboxItem({ engine }: { engine: Engine }): Sessions['inboxItem'] {
  return async (principal, id) => {
    const { user_id } = principal
    const found = await engine.read(() => confirmationInInbox(user_id, id))
    if (found) return forReader(principal, found)
    const question = (await engine.read(() => waitingQuestions(user_id))).find((one) => one.id === id)
    if (!question) throw new AgentError('not_found', `Nothing waits under ${id}, and nothing did.`)
    return question
  }
}

/** Visitors are not told what the account's people are called. */
export function forReader<Told extends { decided_by: string | null; decided_by_name: string | null }>(
  { user_id, subject }: Principal,
  told: Told,
): Told {
  return subject === undefined || told.decided_by === user_id ? told : { ...told, decided_by_name: null }
}

type AskingTurn = Omit<TurnRow, 'messages'> & { session_id: string; intent: string }

/** A user's own: nobody else answers for them. One that only shows a confirmation is none. */
function* waitingQuestions(user_id: string): Work<InboxQuestion[]> {
  const rows = yield* runSql<AskingTurn>(
    `SELECT turns.session_id, intent, turn_id, sequence, run_id, loop_id, turns.status, projection
      FROM (SELECT id, intent, updated_at FROM sessions WHERE user_id = ? AND status = 'waiting_for_input'
        ORDER BY updated_at, id LIMIT ?) asking
      JOIN turns ON turns.session_id = asking.id AND turns.status = 'paused'
      ORDER BY asking.updated_at, turns.session_id, turns.sequence`,
    [user_id, MAX_ASKING],
  )
  return rows.flatMap(({ session_id, intent, ...row }) => {
    const turn = readTurn(row)
    return openQuestions([turn]).flatMap((asked): InboxQuestion[] => {
      const { data } = askUserQuestionSchema.safeParse(asked.arguments)
      if (!data || data.confirmation) return []
      const { questions, source_loop } = data
      const { tool_call_id: id, turn_id, loop_id } = asked
      const of = { session_id, intent, run_id: row.run_id, turn_id, loop_id }
      const asked_after = askedAfter(turn)
      return [{ kind: 'question', id, ...of, questions, source_loop, asked_after, created_at: turn.started_at }]
    })
  })
}
