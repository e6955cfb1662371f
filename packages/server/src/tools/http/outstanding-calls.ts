import type { Clock, ToolOutput } from '../../ports.ts'
import type { Engine } from '../../store/engine.ts'
import {
  acceptCall,
  answerCall,
  beginCall,
  type Brought,
  closeCall,
  findCall,
  isUnderWay,
  type NewCall,
} from './call-rows.ts'

/** A hint says at once that a result is there; what a lost one would have said, this look finds. */
const LOOK_MS = 2_000

/** Calls that backends are asked: on record before they leave, and waited for wherever their run is. */
export class OutstandingCalls {
  readonly #engine: Engine
  readonly #clock: Clock
  /** Who waits here, by session. */
  readonly #waiting = new Map<string, Set<() => void>>()

  readonly #closing = new Set<Promise<unknown>>()

  constructor({ engine, clock }: { engine: Engine; clock: Clock }) {
    this.#engine = engine
    this.#clock = clock
    engine.onNudge((session_id) => this.#wake(session_id))
  }

  /** `true`: the request may leave; `false`: its result is on its way, or here. */
  begin(call: NewCall): Promise<boolean> {
    return this.#engine.write(() => beginCall(call))
  }

  accepted(call_id: string): Promise<void> {
    return this.#engine.write(() => acceptCall(call_id))
  }

  /** Nothing that comes counts any more; what came before is given back. */
  close(call_id: string): Promise<ToolOutput | undefined> {
    return this.#engine.write(() => closeCall(call_id))
  }

  /** The same, where what came before no longer counts: nobody waits for it, but it goes with the next commit. */
  closeSoon(call_id: string): void {
    const closing = this.close(call_id)
      // The store is out of reach; then the run cannot end either, and a call back is refused once it has.
      .catch(() => undefined)
      .finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  async closed(): Promise<void> {
    await Promise.all(this.#closing)
  }

  isUnderWay(call_id: string, givesUp: boolean): Promise<boolean> {
    return this.#engine.write(() => isUnderWay(call_id, givesUp))
  }

  find(call_id: string) {
    return this.#engine.read(() => findCall(call_id))
  }

  /** Stored first, then told to whoever waits, on any instance. */
  async answer(session_id: string, brought: Brought) {
    const outcome = await this.#engine.write(() => answerCall(brought))
    if (outcome === 'stored') {
      this.#wake(session_id)
      this.#engine.nudge(session_id)
    }
    return outcome
  }

  /** What a call back brings, or `undefined` when none came in time, counted from the 202 on, by the store's clock. */
  async result(call: NewCall, laterMs: number, signal: AbortSignal): Promise<ToolOutput | undefined> {
    for (;;) {
      using woken = this.#wait(call.session_id)
      const stored = await this.find(call.call_id)
      if (stored?.output) return stored.output
      const left = laterMs - (stored?.waitedMs ?? laterMs)
      if (left <= 0) return undefined
      await this.#clock.sleep(Math.min(left, LOOK_MS), AbortSignal.any([woken.signal, signal]))
      signal.throwIfAborted()
    }
  }

  #wait(session_id: string): Disposable & { signal: AbortSignal } {
    const here = this.#waiting.get(session_id) ?? new Set()
    this.#waiting.set(session_id, here)
    const controller = new AbortController()
    const wake = () => controller.abort()
    here.add(wake)
    return {
      signal: controller.signal,
      [Symbol.dispose]: () => {
        here.delete(wake)
        if (here.size === 0 && this.#waiting.get(session_id) === here) this.#waiting.delete(session_id)
      },
    }
  }

  #wake(session_id: string): void {
    for (const wake of this.#waiting.get(session_id) ?? []) wake()
  }
}
