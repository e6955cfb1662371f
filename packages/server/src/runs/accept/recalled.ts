import type { Kept, Recalled } from '../../context/recall.ts'
import type { UserPart } from '../../ports.ts'
import type { Work } from '../../store/work.ts'
import type { TurnBook } from '../turn-book.ts'
import { plainText, type StoredMessage, userParts } from './user-message.ts'

type KeptAll = Pick<Kept, 'parts' | 'turn'> & { tell: (book: TurnBook, turn_id: string) => void }

/** What all features found, in their order. */
export function* keepRecalled(recalled: readonly Recalled[], session_id: string): Work<KeptAll> {
  const all: Kept[] = []
  for (const one of recalled) all.push(yield* one.keep(session_id))
  return {
    parts: all.flatMap(({ parts }) => parts),
    turn: Object.assign({}, ...all.map(({ turn }) => turn)) as Kept['turn'],
    tell: (book, turn_id) => {
      for (const { name, payload } of all.flatMap(({ notices }) => notices(turn_id))) book.notify(name, payload)
    },
  }
}

/** The message as the model gets it, what was found for it behind it; `null` when its text is all. */
export function withRecalled(message: StoredMessage, recalled: readonly UserPart[]): UserPart[] | null {
  const said = userParts(message)
  if (recalled.length === 0) return said
  return [...(said ?? [{ type: 'text' as const, text: plainText(message) }]), ...recalled]
}
