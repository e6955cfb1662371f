import type { PendingQuestionRef } from '@parley/protocol'
import type { Answered, Inbox, TakenEffect } from '../core/loop-env.ts'
import type { ModelMessage } from '../ports.ts'
import { inRun } from './run-scope.ts'

/** Why a run is being ended from outside. */
export type StopReason = 'stop' | 'overdue' | 'shutdown' | 'lost'

/** The switches of a run that is under way here: everything below them settles when one is thrown. */
export class ActiveRun implements Inbox {
  readonly #controller = new AbortController()
  readonly #waiting = new Set<() => void>()
  readonly #answers = new Map<string, Answered>()
  readonly #effects = new Map<string, TakenEffect>()
  #messages: ModelMessage[] = []
  #reason: StopReason | undefined
  #failure: { error: unknown } | undefined
  isDraining = false

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get reason(): StopReason | undefined {
    return this.#reason
  }

  /** The first reason counts. */
  stop(reason: StopReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    // What a listener throws is this run's, whoever stops it.
    inRun(this, () => this.#controller.abort(reason))
    this.#wake()
  }

  /** Something of this run threw where nobody awaits it: it stops here, and ends as failed. */
  break(error: unknown): void {
    this.#failure ??= { error }
    this.stop('lost')
  }

  throwIfBroken(): void {
    if (this.#failure) throw this.#failure.error
  }

  addMessage(message: ModelMessage): void {
    this.#messages.push(message)
  }

  answer(question_id: string, answer: Answered): void {
    this.#answers.set(question_id, answer)
    this.#wake()
  }

  answerTo(question_id: string): Answered | undefined {
    return this.#answers.get(question_id)
  }

  tookEffect(tool_call_id: string, effect: TakenEffect): void {
    this.#effects.set(tool_call_id, effect)
  }

  effectOf(tool_call_id: string): TakenEffect | undefined {
    return this.#effects.get(tool_call_id)
  }

  get hasMessages(): boolean {
    return this.#messages.length > 0
  }

  takeMessages(): ModelMessage[] {
    return this.#messages.splice(0)
  }

  async answered(refs: readonly PendingQuestionRef[], giveUp: Promise<void>): Promise<boolean> {
    let isOver = false
    const over = giveUp.then(() => {
      isOver = true
    })
    const has = () => refs.some(({ child_tool_call_id }) => this.#answers.has(child_tool_call_id))
    while (!has() && !isOver && !this.signal.aborted) await Promise.race([over, this.#change()])
    return has()
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake)
        resolve()
      }
      this.#waiting.add(wake)
    })
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake()
  }
}
