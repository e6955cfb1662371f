import type { JsonValue } from '../ports.ts'
import type { LoopEnv } from './loop-env.ts'
import type { LoopEvent, Outcome } from './loop-events.ts'
import type { LoopState, OpenTurn } from './loop-state.ts'

/** What every call of an answer works in. */
export type CallScope = {
  loop: LoopState
  open: OpenTurn
  env: LoopEnv
  group: Group
  handIn: HandIn
  /** The loop itself, one level deeper. */
  runChild: (child: LoopState) => AsyncGenerator<LoopEvent, Outcome>
}

/** What a hand-in of the structured result came to. */
export type HandIn = { output?: JsonValue; failure?: Extract<Outcome, { status: 'failed' }> }

/** Knows when nothing of a turn works any more, so that those who wait for a person stop waiting and the turn pauses. */
export class Group {
  #working = 0
  #idle = Promise.withResolvers<void>()

  /** A branch works from now, whenever its first step comes, to its last. */
  counted(branch: AsyncGenerator<LoopEvent, void>): AsyncGenerator<LoopEvent, void> {
    this.resume()
    return this.#untilDone(branch)
  }

  /** This branch only waits now. Resolves when all others do too. */
  rest(): Promise<void> {
    this.#working -= 1
    if (this.#working === 0) this.#idle.resolve()
    return this.#idle.promise
  }

  resume(): void {
    if (this.#working === 0) this.#idle = Promise.withResolvers()
    this.#working += 1
  }

  async *#untilDone(branch: AsyncGenerator<LoopEvent, void>): AsyncGenerator<LoopEvent, void> {
    try {
      yield* branch
    } finally {
      void this.rest()
    }
  }
}
