import type { AdapterIO } from '../model/chat-adapter.ts'
import type { ChatOp } from '../model/chat-op.ts'
import { readEvents } from './read-events.ts'
import type { StreamEvent } from './event-parser.ts'

/** The pure heart of an adapter: what one event of the wire says, given what came before it in the same answer. */
export type EventCore<State> = {
  readonly initial: State
  step(state: State, event: StreamEvent): readonly [State, readonly ChatOp[]]
  /** The connection ended. An answer that is not whole is a `network` error. */
  finish(state: State): readonly ChatOp[]
}

/** Runs a core over a response, event by event. Nothing is read after the op that ends the run. */
// oxlint-disable-next-line max-params -- published
export async function* streamSteps<State>(
  core: EventCore<State>,
  response: Response,
  io: Pick<AdapterIO, 'signal' | 'alive'>,
  before: State = core.initial,
): AsyncGenerator<{ state: State; ops: readonly ChatOp[]; id: string }> {
  let state = before
  for await (const event of readEvents(response, { signal: io.signal, onAlive: io.alive, includeBare: true })) {
    const [next, ops] = core.step(state, event)
    state = next
    yield { state, ops, id: event.id }
    if (ops.some(isLast)) return
  }
  yield { state, ops: core.finish(state), id: '' }
}

/** The ops alone; returns the last state. */
export async function* streamOps<State>(
  core: EventCore<State>,
  response: Response,
  io: Pick<AdapterIO, 'signal' | 'alive'>,
): AsyncGenerator<ChatOp, State> {
  let last = core.initial
  for await (const { state, ops } of streamSteps(core, response, io)) {
    last = state
    yield* ops
  }
  return last
}

function isLast({ op }: ChatOp): boolean {
  return op === 'end' || op === 'error'
}
