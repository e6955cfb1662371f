import { AgentError, type Branch, isOnPath, ROOT_LOOP, type Span } from '@parley/protocol'
import type { WhatIf } from '@parley/protocol/wire'
import type { UserPart } from '../../ports.ts'
import { before, without } from '../../store/branch-path.ts'
import { readTurn } from '../../store/read-turn.ts'
import { activeBranch, branchOff } from '../../store/take-branch.ts'
import { findMessage } from '../../store/user-messages.ts'
import { runSql, type Work } from '../../store/work.ts'

type Place = { session_id: string; next: number; branch_id: string }

/** [W12.1] The branch on which a message leads the conversation on from an earlier turn; `undefined`: the same one. */
export function* branchFor({ session_id, next, branch_id }: Place, whatIf: WhatIf): Work<Branch | undefined> {
  const { deprecate_entry_ids } = whatIf
  const kept = yield* keptBy(whatIf, session_id, next)
  const left = deprecate_entry_ids.length === 0 ? [] : yield* leftOut(session_id, deprecate_entry_ids)
  return yield* branchOff({ session_id, next }, without(kept, left), branch_id)
}

function* keptBy({ from_step, before_turn_id }: WhatIf, session_id: string, next: number): Work<Span[]> {
  const active = yield* activeBranch(session_id)
  if (from_step === null && before_turn_id !== null) {
    const found = yield* findMessage(session_id, before_turn_id)
    if (!found)
      throw new AgentError(
        'invalid_payload',
        `whatif.before_turn_id: there is no message ${before_turn_id.slice(0, 100)} of the user.`,
      )
    const { turn, branch } = found
    return before((isOnPath(active.path, turn.sequence) ? active : branch).path, turn.sequence)
  }
  if (from_step === null || before_turn_id !== null)
    throw new AgentError('invalid_payload', 'whatif: name either from_step or before_turn_id.')
  const steps = yield* stepsOf(session_id)
  if (from_step > steps.length)
    throw new AgentError(
      'invalid_payload',
      `whatif.from_step: the conversation has ${steps.length} turns, not ${from_step}.`,
    )
  return before(active.path, steps[from_step]?.sequence ?? next)
}

/** What was cited, as the model gets it. */
export function quoteParts({ quotes }: WhatIf): UserPart[] {
  return quotes.map(({ text }) => ({
    type: 'text',
    text: `\n\n[The user quotes from earlier in this conversation]\n${text}`,
  }))
}

/** Turns of the main agent and its user, oldest first. Remarks of the system and compactions are none of them. */
export function* stepsOf(session_id: string): Work<{ turn_id: string; sequence: number }[]> {
  // Reading every turn to find the few that are not steps would be most of the work.
  const rows = yield* runSql<{ turn_id: string; sequence: number; doubtful: string | null }>(
    `SELECT turn_id, sequence, CASE WHEN projection LIKE '%"role":"system"%' THEN projection END AS doubtful
      FROM turns WHERE session_id = ? AND loop_id = ? AND deprecated = 0 ORDER BY sequence`,
    [session_id, ROOT_LOOP],
  )
  return rows.filter(({ doubtful, ...row }) => doubtful === null || roleIn(doubtful, row) !== 'system')
}

function roleIn(projection: string, row: { turn_id: string; sequence: number }): string {
  return readTurn({ ...row, run_id: null, loop_id: ROOT_LOOP, status: 'completed', projection }).role
}

/** Numbers of the turns with these entry ids, which must be this session's. */
function* leftOut(session_id: string, ids: readonly string[]): Work<number[]> {
  const sequences: number[] = []
  for (const id of new Set(ids)) {
    const rows = yield* runSql<{ sequence: number; turn_id: string; projection: string }>(
      `SELECT sequence, turn_id, projection FROM turns WHERE session_id = ? AND projection LIKE ? ESCAPE '!'`,
      [session_id, `{"id":"${id.replaceAll(/[!%_]/g, '!$&')}",%`],
    )
    const [found] = rows
    if (!found)
      throw new AgentError('invalid_payload', `whatif.deprecate_entry_ids: there is no entry ${id.slice(0, 100)}.`)
    sequences.push(found.sequence)
  }
  return sequences
}
