import { useMemo, useRef, type CompositionEvent, type KeyboardEvent } from 'react'

/** WebKit ends the composition first and reports the Enter that ended it right after, as if it were an ordinary one. */
const SAME_KEY_MS = 50
/** What browsers report for a key that an input method has taken. */
const TAKEN_BY_INPUT_METHOD = 229

/** Knows whether a key belongs to an input method: half a word must never be sent. */
export function useComposition() {
  const isActive = useRef(false)
  const endedAt = useRef(-Infinity)
  return useMemo(
    () => ({
      handlers: {
        onCompositionStart: () => {
          isActive.current = true
        },
        onCompositionEnd: (event: CompositionEvent) => {
          isActive.current = false
          endedAt.current = event.timeStamp
        },
      },
      isComposing: ({ nativeEvent, keyCode, timeStamp }: KeyboardEvent): boolean =>
        isActive.current ||
        nativeEvent.isComposing ||
        keyCode === TAKEN_BY_INPUT_METHOD ||
        timeStamp - endedAt.current < SAME_KEY_MS,
    }),
    [],
  )
}
