import type { AgentSession, AgentSessionState } from '@parley/client'
import { textOf, type TurnProjection } from '@parley/protocol'
import type { TurnPrinter } from './turn-printer.ts'

export type FollowedRun = {
  /** Resolves when the session is like that; everything until then has been printed. */
  until: (isReached: (state: AgentSessionState) => boolean) => Promise<void>
}

/** Prints what happens in a session while somebody waits for something. */
export function followRun(session: AgentSession, printer: TurnPrinter): FollowedRun {
  return {
    until: (isReached) =>
      new Promise((resolve) => {
        const look = () => {
          const state = session.getState()
          printer.update(state.turns)
          if (!isReached(state) && !state.isGone) return
          unsubscribe()
          resolve()
        }
        const unsubscribe = session.subscribe(look)
        look()
      }),
  }
}

/** What was answered, by turn. */
export function textsIn(turns: readonly TurnProjection[]): Map<string, string> {
  return new Map(turns.filter(({ role }) => role !== 'user').map((turn) => [turn.turn_id, textOf(turn)]))
}

/** How many characters of what was there before are not there any more. */
export function lostOf(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): number {
  const lost = [...before].filter(([turn_id, text]) => !now.get(turn_id)?.startsWith(text))
  return lost.reduce((sum, [, text]) => sum + text.length, 0)
}
