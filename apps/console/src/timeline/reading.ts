import { parseArguments, ROOT_LOOP, type Usage } from '@parley/protocol'
import type { RecordedEvent } from '@parley/protocol/rest'
import type { Bar, Cause, ModelBar, OwnerBar, PersonBar, ToolBar } from './bars.ts'
import { isAnswer, isRecovered, numberOf, patchOf, type PatchData, stringOf, textOf, turnOf } from './event-data.ts'
import type { Mark } from './marks.ts'

export type RunEnd = { status: string; finish_reason: string | null; isWaiting: boolean; failure: string | null }

type KnownCall = { tool_name: string; display_name: string; summary: string; loop_id: string }

const ASK = 'AskUserQuestion'
const FORK = 'Agent'

/** One pass over the events of a run, or of runs that continue each other: who worked when, and what happened to all. */
export class Reading {
  readonly start: number
  readonly duration: number
  readonly bars: Bar[] = []
  readonly marks: Mark[] = []
  /** Calls of models, in order. */
  readonly calls: ModelBar[] = []
  /** Sub-agents by their loops, with what they were asked for. */
  readonly agents = new Map<string, string | null>()
  /** How the last run ended; `null`: it is under way. */
  end: RunEnd | null = null
  readonly #events: readonly RecordedEvent[]
  readonly #known = new Map<string, KnownCall>()
  /** Of tools that were at work when their server died. */
  readonly #lost = new Map<string, ToolBar>()
  readonly #asked = new Map<string, PersonBar>()
  /** Questions by the call that consent is asked for. */
  readonly #consents = new Map<string, PersonBar>()
  readonly #openCalls = new Map<string, ModelBar>()
  readonly #openTools = new Map<string, ToolBar>()
  /** Calls by the turn that they made. */
  readonly #answers = new Map<string, ModelBar>()
  #owner: OwnerBar | undefined
  #hasMessage = false
  #index = 0
  #at = 0

  constructor(events: readonly RecordedEvent[], now?: number) {
    this.#events = events
    this.start = events[0]?.at ?? now ?? 0
    for (const [index, event] of events.entries()) {
      this.#index = index
      this.#read(event, event.at - this.start)
      this.#at = event.at - this.start
    }
    this.duration = Math.max(this.#at, this.end || now === undefined ? 0 : now - this.start)
    this.#stretchOpen()
  }

  #read(event: RecordedEvent, at: number): void {
    const { type, loop_id, turn_id, data } = event
    switch (type) {
      case 'run:owner':
        return this.#owned(at, causeIn(data?.['cause']), event)
      case 'run:model_call':
        return this.#called(at, loop_id ?? ROOT_LOOP)
      case 'run:model_input':
        return this.#given(loop_id ?? ROOT_LOOP, stringOf(data?.['model']), turn_id)
      case 'run:answer':
        return this.#answered(at, turn_id, data?.['usage'] as Usage | null)
      case 'run:tool_claim':
        return this.#claimed(at, stringOf(data?.['tool_call_id']) ?? '', numberOf(data?.['attempt']) ?? 1)
      case 'turn:start':
        return this.#turnBegan(at, event)
      case 'turn:end':
        return this.#turnEnded(at, event)
      case 'turn:patch':
        return this.#patched(at, event)
      case 'chat:start':
        this.end = null
        this.#hasMessage = false
        return
      case 'chat:end':
        return this.#ended(at, event)
      default:
        // Records from before owners were told.
        if (isRecovered(event) && this.#owner?.first !== this.#index - 1) this.#owned(at, 'take_over', event)
    }
  }

  #owned(at: number, cause: Cause, { data }: RecordedEvent): void {
    const before = this.#owner
    if (cause !== 'accepted') this.#changeHands(at, cause, before)
    const instance = stringOf(data?.['instance'])
    const place = { from: at, to: at, first: this.#index, last: this.#index, isOpen: true }
    this.#owner = {
      ...place,
      id: `owner ${this.#index}`,
      kind: 'owner',
      instance,
      epoch: numberOf(data?.['epoch']),
      cause,
    }
    this.bars.push(this.#owner)
    if (cause !== 'accepted') this.#mark(cause, at, instance)
  }

  /** Its last owner gave no sign of life after the last event; whatever was under way broke off there. */
  #changeHands(at: number, cause: Cause, before: OwnerBar | undefined): void {
    const [died, index] = [this.#at, Math.max(0, this.#index - 1)]
    if (before) close(before, died, index)
    const place = { from: died, to: at, first: index, last: this.#index, isOpen: false }
    if (before ?? this.#index > 0) this.bars.push({ ...place, id: `nobody ${this.#index}`, kind: 'nobody', cause })
    if (cause === 'take_over') this.marks.push({ kind: 'crash', at: died, index, instance: before?.instance ?? null })
    for (const [loop_id, call] of this.#openCalls) {
      close(call, died, index)
      call.isCut = true
      this.#openCalls.delete(loop_id)
    }
    for (const [id, tool] of this.#openTools) {
      if (tool.isFork) continue
      close(tool, died, index)
      tool.outcome = 'cut'
      this.#openTools.delete(id)
      this.#lost.set(id, tool)
    }
  }

  #called(at: number, loop_id: string): void {
    const before = this.#openCalls.get(loop_id)
    if (before) close(before, at, this.#index - 1)
    this.#openCalls.set(loop_id, this.#newCall(at, loop_id))
  }

  #newCall(at: number, loop_id: string, isCompaction = false): ModelBar {
    const place = { from: at, to: at, first: this.#index, last: this.#index, isOpen: true }
    const call: ModelBar = {
      ...{ ...place, id: `model ${this.#index}`, kind: 'model', loop_id, call: this.calls.length + 1, model: null },
      ...{ firstAt: null, isCut: false, isCompaction, usage: null },
    }
    this.calls.push(call)
    this.bars.push(call)
    return call
  }

  #given(loop_id: string, model: string | null, turn_id: string | null): void {
    const call = (turn_id !== null && this.#answers.get(turn_id)) || this.#openCalls.get(loop_id)
    if (call) call.model = model
  }

  #turnBegan(at: number, event: RecordedEvent): void {
    const { role, kind, model = null, parent_fork_tool_call_id: parent } = turnOf(event)!
    const loop_id = event.loop_id ?? ROOT_LOOP
    if (loop_id !== ROOT_LOOP && !this.agents.has(loop_id))
      this.agents.set(loop_id, (parent && this.#known.get(parent)?.summary) || null)
    if (event.turn_id === null) return
    if (kind === 'compaction') {
      this.#answers.set(event.turn_id, this.#newCall(at, loop_id, true))
      this.#mark('compaction', at)
    } else if (role === 'assistant') {
      const call = this.#openCalls.get(loop_id)
      if (!call) return
      if (model && call.model && model !== call.model) this.#mark('fallback', at)
      call.model = model ?? call.model
      this.#answers.set(event.turn_id, call)
    } else if (role === 'user' && loop_id === ROOT_LOOP) this.#messageCame(at, event)
  }

  /** The first message of a run has started it; later ones were added, or answer what was asked. */
  #messageCame(at: number, event: RecordedEvent): void {
    const isAdded = this.#hasMessage && !isAnswer(turnOf(event)!)
    this.#hasMessage = true
    if (isAdded) this.#tick('added', at)
  }

  #turnEnded(at: number, event: RecordedEvent): void {
    const { usage, status, failure_reason } = turnOf(event)!
    this.#answered(at, event.turn_id, usage ?? null)
    const call = event.turn_id === null ? undefined : this.#answers.get(event.turn_id)
    if (call && status === 'interrupted' && failure_reason !== 'server_stopped') call.isCut = true
  }

  /** The whole answer is there. Whoever tells it last knows what it cost. */
  #answered(at: number, turn_id: string | null, usage: Usage | null): void {
    const call = turn_id === null ? undefined : this.#answers.get(turn_id)
    if (!call) return
    call.usage = usage ?? call.usage
    if (!call.isOpen) return
    close(call, at, this.#index)
    if (this.#openCalls.get(call.loop_id) === call) this.#openCalls.delete(call.loop_id)
  }

  #patched(at: number, event: RecordedEvent): void {
    const { patch_type, data } = patchOf(event) ?? { patch_type: '', data: {} }
    const call = event.turn_id === null ? undefined : this.#answers.get(event.turn_id)
    if (call?.isOpen && textOf(event)) call.firstAt ??= at
    if (patch_type === 'add_tool_call') this.#announced(at, data, event.loop_id ?? ROOT_LOOP)
    if (patch_type === 'tool_result') this.#settled(at, data)
    if (patch_type === 'set_tool_status' && data.status === 'pending') this.#approved(data.tool_call_id)
  }

  #announced(at: number, data: PatchData, loop_id: string): void {
    const id = stringOf(data['id']) ?? ''
    const tool_name = stringOf(data['tool_name']) ?? ''
    const given = parseArguments(stringOf(data['arguments']) ?? '')
    const display_name = stringOf(data['display_name']) ?? tool_name
    this.#known.set(id, { tool_name, display_name, summary: summaryOf(given), loop_id })
    if (tool_name === ASK && data.status === 'awaiting_answer') this.#ask(at, id, given)
  }

  #ask(at: number, question_id: string, given: Record<string, unknown>): void {
    const consent = given['confirmation'] as Record<string, unknown> | undefined
    const wanted = stringOf(consent?.['tool_call_id'])
    const place = { from: at, to: at, first: this.#index, last: this.#index, isOpen: true }
    const bar: PersonBar = {
      ...{
        ...place,
        id: `person ${this.#index}`,
        kind: 'person',
        about: consent ? 'consent' : 'question',
        question_id,
        confirmation_id: stringOf(consent?.['id']),
      },
      display_name: (wanted && this.#known.get(wanted)?.display_name) || stringOf(consent?.['tool_name']),
      ...{ risk: stringOf(consent?.['risk']), outcome: null },
    }
    this.bars.push(bar)
    this.#asked.set(question_id, bar)
    if (wanted) this.#consents.set(wanted, bar)
  }

  /** After consent its call is as good as any other: it waits for its turn. */
  #approved(tool_call_id: string | undefined): void {
    const consent = tool_call_id === undefined ? undefined : this.#consents.get(tool_call_id)
    if (consent && !consent.isOpen) consent.outcome = 'approved'
  }

  #claimed(at: number, tool_call_id: string, attempt: number): void {
    this.#lost.delete(tool_call_id)
    this.#openTools.set(tool_call_id, this.#newTool(at, tool_call_id, attempt))
  }

  #newTool(at: number, tool_call_id: string, attempt: number): ToolBar {
    const unknown: KnownCall = { tool_name: '', display_name: '', summary: '', loop_id: ROOT_LOOP }
    const known = this.#known.get(tool_call_id) ?? unknown
    const place = { from: at, to: at, first: this.#index, last: this.#index, isOpen: true }
    const isFork = known.tool_name === FORK
    const its = { tool_call_id, attempt, outcome: null, isFork }
    const bar: ToolBar = { ...place, id: `tool ${this.#index}`, kind: 'tool', ...known, ...its }
    this.bars.push(bar)
    return bar
  }

  #settled(at: number, { tool_call_id = '', status }: PatchData): void {
    this.#restartCall(at, this.#known.get(tool_call_id)?.loop_id)
    const asked = this.#asked.get(tool_call_id)
    if (asked) return this.#decided(at, asked, status)
    const lost = this.#lost.get(tool_call_id)
    if (lost) {
      this.#lost.delete(tool_call_id)
      if (status === 'error') lost.outcome = 'unknown'
      else finish(lost, at, status)
      lost.last = this.#index
      return
    }
    const open = this.#openTools.get(tool_call_id)
    this.#openTools.delete(tool_call_id)
    // What only changes our database is begun and done in one commit; what was never begun has no bar.
    const bar = open ?? (status === 'cancelled' ? undefined : this.#newTool(at, tool_call_id, 1))
    if (!bar) return
    finish(bar, at, status)
    bar.last = this.#index
  }

  #decided(at: number, asked: PersonBar, status: string | undefined): void {
    close(asked, at, this.#index)
    const isDone = status === 'done'
    asked.outcome = !isDone ? 'withdrawn' : asked.about === 'consent' ? 'rejected' : 'answered'
  }

  /** A call that was intended with an answer begins once the tools that go first are done. */
  #restartCall(at: number, loop_id: string | undefined): void {
    const call = loop_id === undefined ? undefined : this.#openCalls.get(loop_id)
    if (call && call.firstAt === null && ![...this.#answers.values()].includes(call)) call.from = call.to = at
  }

  #ended(at: number, { data }: RecordedEvent): void {
    const status = stringOf(data?.['status']) ?? ''
    const error = data?.['error'] as { message?: string } | null | undefined
    this.end = {
      ...{ status, finish_reason: stringOf(data?.['finish_reason']) },
      isWaiting: data?.['session_status'] === 'waiting_for_input',
      failure: error?.message ?? null,
    }
    if (this.#owner) close(this.#owner, at, this.#index)
    for (const bar of [...this.#openCalls.values(), ...this.#openTools.values()]) close(bar, at, this.#index)
    this.#openCalls.clear()
    if (this.end.isWaiting) return
    this.#openTools.clear()
    if (status === 'interrupted' && data?.['stopped_by'] === undefined) {
      this.#mark('stop', at)
      this.#tick('stop', at)
    }
  }

  #mark(kind: Mark['kind'], at: number, instance: string | null = null): void {
    this.marks.push({ kind, at, index: this.#index, instance })
  }

  #tick(what: 'added' | 'stop', at: number): void {
    const place = { from: at, to: at, first: this.#index, last: this.#index, isOpen: false }
    this.bars.push({ ...place, id: `${what} ${this.#index}`, kind: 'tick', what })
  }

  /** What is under way reaches to the end of the picture. */
  #stretchOpen(): void {
    for (const bar of this.bars) if (bar.isOpen) bar.to = Math.max(bar.from, this.duration)
    if (this.bars.length === 0 || this.#owner !== undefined || this.#events.length === 0) return
    const place = { from: 0, to: this.duration, first: 0, last: this.#index, isOpen: this.end === null }
    this.bars.unshift({ ...place, id: 'owner', kind: 'owner', instance: null, epoch: null, cause: null })
  }
}

function close(bar: Bar, at: number, index: number): void {
  bar.to = Math.max(bar.from, at)
  bar.last = Math.max(bar.first, index)
  bar.isOpen = false
}

function finish(bar: ToolBar, at: number, status: string | undefined): void {
  close(bar, at, bar.last)
  bar.outcome = status === 'error' || status === 'cancelled' ? status : 'done'
}

function causeIn(value: unknown): Cause {
  return value === 'take_over' || value === 'hand_back' ? value : 'accepted'
}

const TELLING = ['command', 'file_path', 'pattern', 'url', 'query', 'description', 'path', 'prompt']
const SUMMARY_CHARACTERS = 200

/** The argument that says most, or the first one that is a text. */
function summaryOf(given: Record<string, unknown>): string {
  const texts = Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const found = TELLING.flatMap((name) => texts.filter(([key]) => key === name))[0] ?? texts[0]
  return (found?.[1] ?? '').replace(/\s+/g, ' ').trim().slice(0, SUMMARY_CHARACTERS)
}
