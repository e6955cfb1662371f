import { emptyProjection, isEventName, type Projection, reduce, ROOT_LOOP, type SessionEvent } from '@parley/protocol'
import type { ChatOp } from '../../model/chat-op.ts'
import { parseJson } from '../../stream/parse-json.ts'
import type { EventCore } from '../../stream/event-core.ts'
import { endOp } from './run-session.ts'
import { turnBlocks } from './turn-blocks.ts'

/** The protocol's events, by name and JSON payload, folded by its own reducer: one answer of all assistant turns. */
export function parleyCore(): EventCore<Projection> {
  return {
    initial: emptyProjection,
    step(state, { event, data }) {
      if (!isEventName(event)) return [state, []]
      const known = { name: event, payload: parseJson(data) } as SessionEvent
      const next = reduce(state, known)
      const ops = changedBlocks(state, next)
      return [next, known.name === 'chat:end' ? [...ops, endOp(known.payload)] : ops]
    },
    finish: () => [],
  }
}

function changedBlocks(before: Projection, after: Projection): ChatOp[] {
  const known = new Set(before.turns)
  return after.turns
    .filter((turn) => !known.has(turn) && turn.role === 'assistant' && turn.loop_id === ROOT_LOOP)
    .flatMap((turn) =>
      turnBlocks(turn, () => []).map((block, index): ChatOp => {
        const key = `${turn.turn_id}/${block.key ?? index}`
        return { op: 'block', block: { ...block, key } }
      }),
    )
}
