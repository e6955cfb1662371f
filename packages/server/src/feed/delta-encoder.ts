import type { Encoder } from './encoder.ts'
import { shownOf } from './shown.ts'

/** The stored text as it is: nothing to fold, nothing to remember. */
export const deltaEncoder: Encoder = {
  position: 0,
  missing: () => undefined,
  load: async () => {},
  encode: (_cursor, event) => {
    const shown = shownOf(event)
    return shown ? [shown] : []
  },
  dueAt: () => null,
  takeDue: () => [],
}
