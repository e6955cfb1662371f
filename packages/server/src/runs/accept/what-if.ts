import { AgentError, type Branch, isOnPath, type Span } from '@parley/protocol'
import type { WhatIf } from '@parley/protocol/wire'
import type { UserPart } from '../../ports.ts'
import { before, without } from '../../store/branch-path.ts'
import { activeBranch, branchOff } from '../../store/take-branch.ts'
import { isStep, type TurnHead, turnHeads } from '../../store/turn-heads.ts'
import { findMessage } from '../../store/user-messages.ts'
import type { Work } from '../../store/work.ts'

type Place = { session_id: string; next: number; branch_id: string }

/** [W12.1] The branch on which a message leads the conversation on from an earlier turn; `undefined`: the same one. */
export function* branchFor({ session_id, next, branch_id }: Place, whatIf: WhatIf): Work<Branch | undefined> {
  const { deprecate_entry_ids } = whatIf
  const kept = yield* keptBy(whatIf, session_id, next)
  const left = deprecate_entry_ids.length === 0 ? [] : leftOut(yield* turnHeads(session_id), deprecate_entry_ids)
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
  const steps = (yield* turnHeads(session_id)).filter((head) => !head.isDeprecated && isStep(head))
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

/** Numbers of the turns with these entry ids, which must be this session's. */
function leftOut(heads: readonly TurnHead[], ids: readonly string[]): number[] {
  const byId = new Map(heads.map(({ id, sequence }) => [id, sequence]))
  return [...new Set(ids)].map((id) => {
    const sequence = byId.get(id)
    if (sequence === undefined)
      throw new AgentError('invalid_payload', `whatif.deprecate_entry_ids: there is no entry ${id.slice(0, 100)}.`)
    return sequence
  })
}
