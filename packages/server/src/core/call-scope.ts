import type { LoopEnv } from './loop-env.ts'
import type { LoopEvent, Outcome, RunError } from './loop-events.ts'
import type { LoopState, OpenTurn } from './loop-state.ts'

/** What every call of an answer works in. */
export type CallScope = {
  loop: LoopState
  open: OpenTurn
  env: LoopEnv
  group: Group
  /** The loop itself, one level deeper. */
  runChild: (child: LoopState) => AsyncGenerator<LoopEvent, Outcome>
}

/** Knows when nothing of a turn works any more, so that those who wait for a person stop waiting and the turn pauses. */
export class Group {
  #working = 0
  #resting = 0
  #idle = Promise.withResolvers<void>()
  /** What ends the run, whatever else its calls come to. */
  failure: RunError | undefined

  /** A branch works from now, whenever its first step comes, to its last. */
  counted(branch: AsyncGenerator<LoopEvent, void>): AsyncGenerator<LoopEvent, void> {
    this.#enter()
    return this.#untilDone(branch)
  }

  /** Branches that wait for a person just now. */
  get resting(): number {
    return this.#resting
  }

  /** This branch only waits now. Resolves when all others do too. */
  rest(): Promise<void> {
    this.#resting += 1
    this.#leave()
    return this.#idle.promise
  }

  resume(): void {
    this.#resting -= 1
    this.#enter()
  }

  #enter(): void {
    if (this.#working === 0) this.#idle = Promise.withResolvers()
    this.#working += 1
  }

  #leave(): void {
    this.#working -= 1
    if (this.#working === 0) this.#idle.resolve()
  }

  async *#untilDone(branch: AsyncGenerator<LoopEvent, void>): AsyncGenerator<LoopEvent, void> {
    try {
      yield* branch
    } finally {
      this.#leave()
    }
  }
}
