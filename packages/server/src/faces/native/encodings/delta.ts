import { oneByOne } from '../../../feed/encoding.ts'
import { shownEvent, shownOf } from './shown.ts'

/** The stored text as it is: nothing to fold, nothing to remember. */
export const delta = oneByOne({
  told: (event) => [shownEvent(event)],
  stored: (event) => {
    const shown = shownOf(event)
    return shown ? [shown] : []
  },
})
