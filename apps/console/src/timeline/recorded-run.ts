import { ROOT_LOOP } from '@parley/protocol'
import type { RecordedEvent } from '@parley/protocol/rest'

export type Decision = { question_id: string; tool_call_id: string; turn_id: string; isApproved: boolean }

/** For tests: writes the record of a run as the server would. */
export class RecordedRun {
  readonly events: RecordedEvent[] = []
  #run_id = 'run_0'
  #runs = 0
  #turns = 0
  #calls = 0
  #epoch = 0
  #seq = 0
  #at = 1_700_000_000_000
  readonly #patches = new Map<string, number>()
  readonly #loops = new Map<string, string>()

  wait(ms: number): this {
    this.#at += ms
    return this
  }

  accept(answer?: Decision): this {
    this.#run_id = `run_${++this.#runs}`
    this.#write('chat:start', { run_id: this.#run_id })
    const block = answer ? { type: 'ask_user_answer', content: {} } : { type: 'text', content: 'Hello' }
    this.#wholeTurn('user', [block])
    if (answer) this.decide(answer)
    this.own('parley-a', 'accepted')
    return this.callModel()
  }

  decide({ question_id, tool_call_id, turn_id, isApproved }: Decision): this {
    this.patch(turn_id, 'tool_result', { tool_call_id: question_id, status: 'done', result: {} })
    if (isApproved) return this.patch(turn_id, 'set_tool_status', { tool_call_id, status: 'pending' })
    return this.patch(turn_id, 'tool_result', { tool_call_id, status: 'cancelled', result: 'no' })
  }

  own(instance: string, cause: string): this {
    if (cause !== 'accepted') this.#seq += 10_000
    return this.#write('run:owner', { epoch: ++this.#epoch, instance, cause })
  }

  /** Another server takes over, so long after the last sign of life. */
  takeOver(ms: number, instance = 'parley-b'): this {
    this.wait(ms).own(instance, 'take_over')
    return this.#write('system:notification', {
      notification_type: 'run:recovered',
      title: '',
      detail: '',
      status: 'info',
    })
  }

  callModel(loop_id = ROOT_LOOP): this {
    return this.#write('run:model_call', {}, { loop_id })
  }

  /** The provider has accepted; returns the turn. */
  announce({ loop_id = ROOT_LOOP, parent = null as string | null, model = 'm' } = {}): string {
    this.#write('run:model_input', { model: 'm', messages: `digest ${this.events.length}` }, { loop_id })
    const turn_id = `turn_${++this.#turns}`
    this.#loops.set(turn_id, loop_id)
    const rest = { loop_id, parent_fork_tool_call_id: parent, model }
    this.#write('turn:start', this.#turn(turn_id, 'assistant', rest), { loop_id, turn_id })
    return turn_id
  }

  text(turn_id: string, text_delta: string, type = 'text'): this {
    return this.patch(turn_id, 'add_content', { type, text_delta, block_index: 0 })
  }

  /** The answer is complete, with so many calls; returns their ids. */
  answer(turn_id: string, names: readonly string[]): string[] {
    this.#write('run:answer', { parts: [], usage: { input_tokens: 10, output_tokens: 2 } }, this.#about(turn_id))
    return names.map((tool_name) => {
      const id = `call_${++this.#calls}`
      const given = JSON.stringify({ command: `do ${id}`, description: `task of ${id}` })
      const call = { id, tool_name, display_name: tool_name, arguments: given, status: 'pending' }
      this.patch(turn_id, 'add_tool_call', call)
      return id
    })
  }

  claim(turn_id: string, tool_call_id: string, attempt = 1): this {
    return this.#write('run:tool_claim', { tool_call_id, attempt }, this.#about(turn_id))
  }

  result(turn_id: string, tool_call_id: string, status = 'done'): this {
    return this.patch(turn_id, 'tool_result', { tool_call_id, status, result: 'ok', duration_ms: 1 })
  }

  /** Asks for consent to a call; returns the question. */
  ask(turn_id: string, tool_call_id: string): string {
    this.patch(turn_id, 'set_tool_status', { tool_call_id, status: 'awaiting_answer' })
    const id = `call_${++this.#calls}`
    const given = JSON.stringify({ questions: [], confirmation: { tool_call_id, tool_name: 'Bash', risk: 'high' } })
    const question = { id, tool_name: 'AskUserQuestion', display_name: 'Ask', arguments: given }
    this.patch(turn_id, 'add_tool_call', { ...question, status: 'awaiting_answer' })
    return id
  }

  endTurn(turn_id: string, status = 'completed', failure_reason: string | null = null): this {
    const about = this.#about(turn_id)
    const usage = { input_tokens: 10, output_tokens: 3 }
    const turn = this.#turn(turn_id, 'assistant', { ...about, status, failure_reason, usage })
    return this.#write('turn:end', turn, about)
  }

  addMessage(): this {
    return this.#wholeTurn('user', [{ type: 'text', content: 'And this' }])
  }

  end(status = 'completed', session_status = status): this {
    this.#write('chat:end', { status, finish_reason: null, session_status, error: null, run_id: this.#run_id })
    return this.#write('session:updated', { status: session_status })
  }

  notify(type: string, data: Record<string, unknown> = {}): this {
    return this.#write(type, data)
  }

  patch(turn_id: string, patch_type: string, data: object): this {
    const sequence = (this.#patches.get(turn_id) ?? 0) + 1
    this.#patches.set(turn_id, sequence)
    const about = this.#about(turn_id)
    return this.#write('turn:patch', { sequence, ...about, patch_type, data }, about)
  }

  #about(turn_id: string): { turn_id: string; loop_id: string } {
    return { turn_id, loop_id: this.#loops.get(turn_id) ?? ROOT_LOOP }
  }

  #wholeTurn(role: string, blocks: object[]): this {
    const turn_id = `turn_${++this.#turns}`
    this.#write('turn:start', this.#turn(turn_id, role, { blocks }), this.#about(turn_id))
    return this.#write('turn:end', this.#turn(turn_id, role, { blocks, status: 'completed' }), this.#about(turn_id))
  }

  #turn(turn_id: string, role: string, rest: object): Record<string, unknown> {
    const sequence = Number(turn_id.slice('turn_'.length))
    const about = { tool_calls: [], model: null, usage: null, parent_fork_tool_call_id: null, failure_reason: null }
    return {
      ...{ id: sequence, sequence, ...this.#about(turn_id), kind: 'message', role, status: 'streaming', blocks: [] },
      ...{ ...about, patch_sequence: this.#patches.get(turn_id) ?? 0, run_id: this.#run_id, ...rest },
    }
  }

  #write(type: string, data: Record<string, unknown>, about: { turn_id?: string; loop_id?: string } = {}): this {
    const { turn_id = null, loop_id = null } = about
    this.events.push({ event_seq: ++this.#seq, at: this.#at, type, run_id: this.#run_id, loop_id, turn_id, data })
    return this
  }
}
