/** A small model server for tests: turns a list of steps into a journal. */
import type { NewSessionEvent, SessionEvent } from '../src/events.ts'
import { numberEvent } from '../src/number-event.ts'
import { assistantTurn } from './example-run.ts'
import type { TurnProjection } from '../src/turn.ts'

/** `turn` and `call` pick one of those that exist, modulo their number. */
export type Step =
  | { do: 'start'; fork: boolean }
  | { do: 'say'; turn: number; type: string; text: string; place: string }
  | { do: 'call'; turn: number; tool: string; arguments: { text: string; means: object } }
  | { do: 'settle'; turn: number; call: number; result: unknown }
  | { do: 'mark'; turn: number; call: number; asks: boolean }
  | { do: 'show'; turn: number; type: string }
  | { do: 'future'; turn: number }
  | { do: 'end'; turn: number; status: string }
  | { do: 'resume'; turn: number; status: string }
  | { do: 'update'; mode: string }

type Model = ReturnType<typeof newTurn>

/**
 * Plays any list of steps as a legal conversation: what is not possible at that point is skipped. `turns` is what the
 * server holds at the end, built by plain mutation and sharing no code with the fold.
 */
export function playSteps(steps: readonly Step[]): { events: SessionEvent[]; turns: TurnProjection[] } {
  const drafts: NewSessionEvent[] = []
  const turns: Model[] = []
  const emit = (name: string, payload: object) =>
    drafts.push(JSON.parse(JSON.stringify({ name, payload: { session_id: 'sess_1', ...payload } })) as NewSessionEvent)

  const patch = (turn: Model, patch_type: string, data: object) => {
    turn.patch_sequence += 1
    emit('turn:patch', {
      turn_id: turn.turn_id,
      loop_id: turn.loop_id,
      sequence: turn.patch_sequence,
      patch_type,
      data,
    })
  }
  const start = (fork: boolean) => {
    const turn = newTurn(turns.length, fork)
    turns.push(turn)
    emit('turn:start', { ...turn, solution_id: null, template_id: null })
  }
  const tool = (call: Model['tool_calls'][number]) => ({
    tool_call_id: call.id,
    tool_name: call.tool_name,
    display_name: call.display_name,
  })

  emit('chat:start', { run_id: 'chat_1' })
  start(false)
  for (const step of steps) {
    if (step.do === 'start') start(step.fork)
    if (step.do === 'update') emit('session:updated', { mode: step.mode })
    if (!('turn' in step)) continue
    const turn = turns.at(step.turn % turns.length)!
    const isOpen = turn.status === 'streaming'
    const call = 'call' in step ? turn.tool_calls[step.call % (turn.tool_calls.length || 1)] : undefined

    if (step.do === 'say' && isOpen) {
      const older = turn.blocks.findIndex((block) => block.type === step.type)
      const isOlder = step.place === 'older' && older >= 0
      const isNew = !isOlder && turn.blocks.at(-1)?.type !== step.type
      if (isNew) turn.blocks.push(plain(step.type, ''))
      const block_index = isOlder ? older : turn.blocks.length - 1
      const block = turn.blocks.at(block_index)!
      block.content = String(block.content) + step.text
      const where = step.place === 'unsaid' ? {} : { block_index }
      patch(turn, 'add_content', { type: step.type, text_delta: step.text, ...where })
    }
    if (step.do === 'call' && isOpen) {
      const id = `tc_${turn.turn_id}_${turn.tool_calls.length}`
      const status = step.tool === 'AskUserQuestion' ? 'awaiting_answer' : 'pending'
      const made = { id, tool_name: step.tool, display_name: `«${step.tool}»`, arguments: step.arguments.text, status }
      turn.tool_calls.push({ ...made, result: null, duration_ms: null, pending_question_ref: null })
      turn.blocks.push({ type: 'tool_use', content: step.arguments.means, ...tool(turn.tool_calls.at(-1)!) })
      patch(turn, 'add_tool_call', made)
    }
    if (step.do === 'settle' && call && call.result === null && turn.status !== 'completed') {
      Object.assign(call, { result: step.result, status: 'done', duration_ms: 5, pending_question_ref: null })
      turn.blocks.push({ type: 'tool_result', content: step.result, ...tool(call) })
      patch(turn, 'tool_result', { tool_call_id: call.id, result: step.result, status: 'done', duration_ms: 5 })
    }
    if (step.do === 'mark' && call && isOpen) {
      const ref = { child_loop_name: 'agent:1', child_tool_call_id: 'tc_child', description: null }
      call.status = step.asks ? 'awaiting_answer' : 'cancelled'
      if (step.asks) call.pending_question_ref = ref
      const more = step.asks ? { pending_question_ref: ref } : {}
      patch(turn, 'set_tool_status', { tool_call_id: call.id, status: call.status, ...more })
    }
    if (step.do === 'show' && isOpen) {
      turn.blocks.push(plain(step.type, { status: 'proposed' }))
      patch(turn, 'add_content', { type: step.type, content: { status: 'proposed' } })
    }
    if (step.do === 'future' && isOpen) patch(turn, 'set_mood', { mood: 'sunny' })
    if (step.do === 'end' && isOpen) {
      Object.assign(turn, { status: step.status, duration_ms: 70, usage: { input_tokens: 1, output_tokens: 2 } })
      emit('turn:end', { ...turn, solution_id: null, template_id: null })
    }
    if (step.do === 'resume' && turn.status === 'paused') {
      turn.status = step.status
      patch(turn, 'set_status', { status: step.status })
    }
  }
  for (const turn of turns) {
    if (turn.status !== 'streaming') continue
    turn.status = 'interrupted'
    emit('turn:end', { ...turn, solution_id: null, template_id: null })
  }
  emit('chat:end', { status: 'completed', session_status: 'completed', run_id: 'chat_1', pause_tool_data: null })
  const events = drafts.map((draft, index) => numberEvent(draft, index + 1))
  return { events, turns: turns as unknown as TurnProjection[] }
}

function newTurn(sequence: number, fork: boolean) {
  return {
    ...assistantTurn,
    id: `entry_${sequence}`,
    turn_id: `turn_${sequence}`,
    sequence,
    loop_id: fork ? 'agent:1f2e3d4c' : 'root',
    parent_fork_tool_call_id: fork ? 'tc_fork' : null,
    status: 'streaming' as string,
    blocks: [] as {
      type: string
      content: unknown
      tool_call_id: string | null
      tool_name: string | null
      display_name: string | null
    }[],
    tool_calls: [] as {
      id: string
      tool_name: string
      display_name: string
      arguments: string
      status: string
      result: unknown
      duration_ms: number | null
      pending_question_ref: object | null
    }[],
  }
}

function plain(type: string, content: unknown) {
  return { type, content, tool_call_id: null, tool_name: null, display_name: null }
}
