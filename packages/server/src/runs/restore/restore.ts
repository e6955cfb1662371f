import { ROOT_LOOP, type TurnProjection } from '@parley/protocol'
import { consentOf } from '../../confirm/decision.ts'
import { callsOf, contextOf, ofLoop, partsOf, type StoredTurn } from '../../context/stored-turns.ts'
import { lastCompaction } from '../../context/compaction/compacted.ts'
import { agentIn } from '../../core/loop-arguments.ts'
import { type Call, type LoopState, newLoop } from '../../core/loop-state.ts'
import { userMessage } from '../../core/messages.ts'
import { AGENT, ASK } from '../../core/offer.ts'
import { equipment } from '../../core/run-agent.ts'
import type { ModelMessage } from '../../ports.ts'
import type { RunRecord } from './run-record.ts'

/**
 * The loop of the main agent as it stood, with the loops of the sub-agents under its open turn, and what people have added
 * since that turn began. `turns` are the finished and paused ones, oldest first; `record` adds what is still open.
 */
export function restoreLoop(
  turns: readonly StoredTurn[],
  record: RunRecord,
): { loop: LoopState; added: ModelMessage[] } {
  for (const { turn } of [...turns, ...record.open])
    if (turn.parent_fork_tool_call_id !== null) record.loops.set(turn.parent_fork_tool_call_id, turn.loop_id)
  const all = inOrder(turns, record)
  const base = { loop_id: ROOT_LOOP, parent_fork_tool_call_id: null, description: '', depth: 0, messages: [] }
  const loop = loopOf(base, all, record)
  return { loop, added: loop.open ? contextOf(lastTurn(ofLoop(all, ROOT_LOOP)).after) : [] }
}

/** As the model got them: a message that was added while it was asked comes after its answer. */
export function inOrder(turns: readonly StoredTurn[], record: RunRecord): StoredTurn[] {
  const open = record.open.filter(({ parts }) => parts !== null)
  const placeOf = ({ turn }: StoredTurn) => record.places.get(turn.turn_id) ?? turn.sequence
  return [...turns, ...open].sort((a, b) => placeOf(a) - placeOf(b))
}

function loopOf(base: Parameters<typeof newLoop>[0], all: readonly StoredTurn[], record: RunRecord): LoopState {
  const mine = ofLoop(all, base.loop_id)
  const { before, last, after } = lastTurn(mine)
  const open = last && isOpen(last.turn, after) ? last : undefined
  const loop = newLoop({ ...base, messages: [...base.messages, ...contextOf(open ? before : mine)] })
  loop.used = record.calls.get(base.loop_id) ?? 0
  loop.agents = record.agents.filter(
    (made) => made.loop_id === base.loop_id && made.turn_id !== open?.turn.turn_id,
  ).length
  loop.measured = measuredIn(open ? before : mine, base.messages.length)
  if (open)
    loop.open = {
      turn_id: open.turn.turn_id,
      parts: partsOf(open),
      calls: callsOf(open).map((call) => restoreCall(call, open.turn, { loop, all, record })),
      isEnded: open.turn.status !== 'streaming',
      isCut: record.cut.has(open.turn.turn_id),
    }
  return loop
}

/** What the provider of the last answer has counted, where nothing was archived since. */
export function measuredIn(turns: readonly StoredTurn[], before: number): LoopState['measured'] {
  const at = turns.findLastIndex(({ turn }) => turn.role === 'assistant' && turn.usage !== null)
  const { usage = null, status } = turns[at]?.turn ?? {}
  if (usage === null || status !== 'completed' || lastCompaction(turns.slice(at + 1))) return null
  const messages = before + contextOf(turns.slice(0, at)).length + 1
  return { tokens: usage.input_tokens + usage.output_tokens, messages }
}

/** The model's last turn of a loop, and what lies around it. */
function lastTurn(mine: readonly StoredTurn[]): { before: StoredTurn[]; last?: StoredTurn; after: StoredTurn[] } {
  const at = mine.findLastIndex(({ turn }) => turn.role === 'assistant')
  return { before: mine.slice(0, Math.max(0, at)), ...(mine[at] && { last: mine[at] }), after: mine.slice(at + 1) }
}

/** A completed turn that nothing followed is gone through once more: what its end means for the run was never stored. */
function isOpen({ status }: TurnProjection, after: readonly StoredTurn[]): boolean {
  if (status === 'streaming' || status === 'paused') return true
  return status === 'completed' && contextOf(after).length === 0 && !lastCompaction(after)
}

/** What a call is restored from. */
type Remains = { loop: LoopState; all: readonly StoredTurn[]; record: RunRecord }

function restoreCall(call: Call, turn: TurnProjection, remains: Remains): Call {
  const { record } = remains
  if (call.state.type === 'settled') return call
  if (call.name === AGENT) return restoreAgent(call, remains)
  if (call.name === ASK && call.state.type === 'waiting') return call
  const attempt = record.claims.get(call.id)
  const asked = record.confirmations.get(call.id)
  const consent = asked?.status === 'approved' ? consentOf(asked) : null
  // As long as its question is open nothing is decided, whatever the row says: the answer is on its way.
  const question = turn.tool_calls.find(({ id }) => id === asked?.question_id)
  if (question?.status === 'awaiting_answer')
    return { ...call, state: { type: 'confirming', question_id: question.id } }
  if (attempt !== undefined) return { ...call, consent, state: { type: 'claimed', attempt } }
  return { ...call, consent, state: { type: 'announced' } }
}

function restoreAgent(call: Call, { loop: parent, all, record }: Remains): Call {
  const loop_id = record.loops.get(call.id)
  const input = agentIn(call.arguments)
  if (loop_id === undefined || !input) return { ...call, state: { type: 'announced' } }
  const { description, prompt } = input
  const child = loopOf(
    {
      ...equipment(input, parent),
      loop_id,
      parent_fork_tool_call_id: call.id,
      description,
      depth: parent.depth + 1,
      messages: [userMessage(prompt)],
    },
    all,
    record,
  )
  // It names the question that was told, so that another one, now the oldest, is told as well.
  const isWaiting = call.state.type === 'waiting' && waitingRefs(child).length > 0
  return { ...call, child, state: isWaiting ? call.state : { type: 'announced' } }
}

/** Every question that waits in a loop or under it, oldest first. */
export function waitingRefs(
  loop: LoopState,
): { child_loop_name: string; child_tool_call_id: string; description: string | null }[] {
  return (loop.open?.calls ?? []).flatMap((call) => {
    if (call.child) return waitingRefs(call.child)
    const asking = (id: string) => [
      { child_loop_name: loop.loop_id, child_tool_call_id: id, description: loop.description || null },
    ]
    if (call.state.type === 'confirming') return asking(call.state.question_id)
    return call.state.type === 'waiting' && call.name === ASK ? asking(call.id) : []
  })
}
