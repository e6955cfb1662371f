import type { Kept, Notice, Recalled } from '../../context/recall.ts'
import type { UserPart } from '../../ports.ts'
import type { Work } from '../../store/work.ts'
import { plainText, type StoredMessage, userParts } from './user-message.ts'

/** What stands with a message from now on, under the id that its turn will have: plain data, so that it can wait with it. */
export type KeptRecalled = Pick<Kept, 'parts' | 'turn'> & { turn_id: string; notices: readonly Notice[] }

/** What all features found, in their order. */
export function* keepRecalled(
  recalled: readonly Recalled[],
  { session_id, turn_id }: { session_id: string; turn_id: string },
): Work<KeptRecalled> {
  const all: Kept[] = []
  for (const one of recalled) all.push(yield* one.keep(session_id))
  return {
    turn_id,
    parts: all.flatMap(({ parts }) => parts),
    turn: Object.assign({}, ...all.map(({ turn }) => turn)) as Kept['turn'],
    notices: all.flatMap(({ notices }) => notices(turn_id)),
  }
}

/** The message as the model gets it, what was found for it behind it; `null` when its text is all. */
export function withRecalled(message: StoredMessage, recalled: readonly UserPart[]): UserPart[] | null {
  const said = userParts(message)
  if (recalled.length === 0) return said
  return [...(said ?? [{ type: 'text' as const, text: plainText(message) }]), ...recalled]
}
