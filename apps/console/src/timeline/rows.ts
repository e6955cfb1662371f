import { ROOT_LOOP } from '@parley/protocol'
import type { RecordedEvent } from '@parley/protocol/rest'
import type { ModelBar, PersonBar, ToolBar } from './bars.ts'
import { isAnswer, isRecovered, patchOf, stringOf, textOf, turnOf } from './event-data.ts'
import type { Reading } from './reading.ts'

/** Where a row stands in the order of commits; see the table of commit points in ARCHITECTURE.md. */
export type Point = 'C1' | 'C2a' | 'C2b' | 'C3' | 'C4' | 'C5' | 'C6' | 'C7' | 'C8' | 'C9' | 'C10' | 'C11'

/** What a row says, for a catalogue to put into words. */
export type RowWords =
  | { key: 'decided'; confirmation_id: string | null }
  | { key: 'accepted' | 'announced' | 'added' | 'compaction' | 'compacted' | 'retried' }
  | { key: 'model_call'; call: number }
  | { key: 'text' | 'thinking'; characters: number }
  | { key: 'answer'; calls: number }
  | { key: 'tools'; names: readonly string[] }
  | { key: 'tool_claim'; name: string; attempt: number }
  | { key: 'tool_result'; name: string; outcome: ToolBar['outcome'] }
  | { key: 'asked'; name: string | null }
  | { key: 'crash'; instance: string | null }
  | { key: 'take_over' | 'hand_back'; instance: string | null; skipped: readonly [number, number] | null }
  | { key: 'half_closed'; reason: string }
  | { key: 'turn_end'; status: string }
  | { key: 'ended'; status: string; isWaiting: boolean }
  | { key: 'other'; type: string }

export type RowDetail =
  | { key: 'model'; model: string }
  | { key: 'same_context'; call: number }
  | { key: 'events'; count: number }
  | { key: 'tokens'; input: number; output: number }
  | { key: 'duration' | 'silent'; ms: number }
  | { key: 'summary'; text: string }
  | { key: 'epoch'; epoch: number }
  | { key: 'risk'; risk: string }
  | { key: 'reason'; text: string }

/** One event, or neighbours of the same kind, of the ledger. */
export type Row = {
  id: string
  /** Places in the list of events; of a row that no event tells, where it stands between them. */
  from: number
  to: number
  /** Numbers of the events; `null` for what no event tells. */
  seq: readonly [number, number] | null
  /** Since the start. */
  at: number
  points: readonly Point[]
  words: RowWords
  detail: RowDetail | null
  /** The sub-agent that it belongs to, by its loop. */
  loop_id: string | null
}

/** Neighbours with one `group` are one row. */
type Draft = { group: string | null; points: readonly Point[]; words: RowWords }

/** Tool calls that are over this soon share a row with their neighbours. */
const QUICK_MS = 1_000
/** Numbers that a take-over leaves out. */
const SKIP = 10_000

/** The ledger, in the order of the record. */
export function rowsOf(events: readonly RecordedEvent[], reading: Reading): Row[] {
  const book = new Ledger(events, reading)
  const rows: Row[] = []
  let group: string | null = null
  for (const [index, event] of events.entries()) {
    const draft = book.draft(event, index)
    const last = rows.at(-1)
    if (last && draft.group !== null && draft.group === group) grow(last, draft, { index, event_seq: event.event_seq })
    else rows.push(...book.crashBefore(index), book.row(draft, event, index))
    group = draft.group
  }
  return rows.map((row) => ({ ...row, detail: book.detail(row) }))
}

function grow(row: Row, { points, words }: Draft, { index, event_seq }: { index: number; event_seq: number }): void {
  row.to = index
  row.seq = [row.seq![0], event_seq]
  if (points.some((point) => !row.points.includes(point))) row.points = [...new Set([...row.points, ...points])]
  row.words = together(row.words, words)
}

function together(first: RowWords, next: RowWords): RowWords {
  if ('characters' in first && 'characters' in next) return { ...first, characters: first.characters + next.characters }
  if (first.key === 'answer' && next.key === 'answer') return { ...first, calls: first.calls + next.calls }
  if (first.key === 'tools' && next.key === 'tools')
    return { ...first, names: [...new Set([...first.names, ...next.names])] }
  // The last word on how it ended is the run's own.
  return next.key === 'ended' && next.status !== '' ? next : first
}

class Ledger {
  readonly #events: readonly RecordedEvent[]
  readonly #reading: Reading
  readonly #calls = new Map<number, ModelBar>()
  readonly #tools = new Map<number, ToolBar>()
  readonly #asked = new Map<number, PersonBar>()
  /** Events that are part of a run's beginning, or of its end: by their place. */
  readonly #edges = new Map<number, Draft>()
  #contexts = new Map<string, number>()

  constructor(events: readonly RecordedEvent[], reading: Reading) {
    this.#events = events
    this.#reading = reading
    for (const bar of reading.bars) {
      if (bar.kind === 'model') this.#calls.set(bar.first, bar)
      if (bar.kind === 'tool') this.#tools.set(bar.first, bar).set(bar.last, bar)
      if (bar.kind === 'person') this.#asked.set(bar.first, bar)
    }
    this.#findEdges()
  }

  draft(event: RecordedEvent, index: number): Draft {
    return this.#edges.get(index) ?? this.#draftOf(event, index)
  }

  row({ points, words }: Draft, { event_seq, at, loop_id }: RecordedEvent, index: number): Row {
    const agent = loop_id === ROOT_LOOP ? null : loop_id
    const place = { from: index, to: index, seq: [event_seq, event_seq] as const, at: at - this.#reading.start }
    return { id: `row ${index}`, ...place, points, words, detail: null, loop_id: agent }
  }

  /** Nobody wrote down that a server died: it is told by whoever took over. */
  crashBefore(index: number): Row[] {
    const taken = this.#reading.marks.find((mark) => mark.kind === 'take_over' && mark.index === index)
    const crash = taken && this.#reading.marks.findLast((mark) => mark.kind === 'crash' && mark.at <= taken.at)
    if (!crash) return []
    const place = { from: index, to: index - 1, seq: null, at: crash.at, points: [], loop_id: null }
    const detail = { key: 'silent', ms: taken.at - crash.at } as const
    return [{ id: `crash ${index}`, ...place, words: { key: 'crash', instance: crash.instance }, detail }]
  }

  detail(row: Row): RowDetail | null {
    if (row.detail) return row.detail
    const { words, from, to } = row
    switch (words.key) {
      case 'model_call':
        return this.#contextOf(this.#calls.get(from))
      case 'text':
      case 'thinking':
        return to > from ? { key: 'events', count: to - from + 1 } : null
      case 'answer':
        return this.#tokensAt(from)
      case 'tools':
        return { key: 'duration', ms: this.#events[to]!.at - this.#events[from]!.at }
      case 'tool_claim':
        return { key: 'summary', text: this.#tools.get(from)?.summary ?? '' }
      case 'tool_result':
        return this.#lengthAt(from)
      case 'asked':
        return this.#riskAt(from, to)
      case 'take_over':
      case 'hand_back':
        return this.#epochAt(from)
      case 'ended':
        return this.#reading.end?.failure ? { key: 'reason', text: this.#reading.end.failure } : null
      default:
        return null
    }
  }

  #draftOf(event: RecordedEvent, index: number): Draft {
    const { type, turn_id, data } = event
    const plain = (words: RowWords, points: readonly Point[] = [], group: string | null = null): Draft => ({
      ...{ group, points, words },
    })
    switch (type) {
      case 'run:owner':
        return this.#owned(event, index)
      case 'run:model_call':
        return plain({ key: 'model_call', call: this.#calls.get(index)?.call ?? 0 }, ['C2a'])
      case 'run:model_input':
      case 'memory:inject:done':
        return plain({ key: 'announced' }, ['C2b'], `announced ${event.loop_id}`)
      case 'run:answer':
        return plain({ key: 'answer', calls: 0 }, ['C4'], `answer ${turn_id}`)
      case 'run:tool_claim':
        return this.#worked(index, 'C5')
      case 'turn:start':
      case 'turn:end':
        return this.#turned(event)
      case 'turn:patch':
        return this.#patched(event, index)
      case 'system:notification':
        if (isRecovered(event)) return this.#owned(event, index)
        if (data?.['notification_type'] === 'llm:retry') return plain({ key: 'retried' })
        return plain({ key: 'other', type }, [], type)
      default:
        return plain({ key: 'other', type }, [], type)
    }
  }

  #owned({ event_seq, data }: RecordedEvent, index: number): Draft {
    const mark = this.#reading.marks.find(
      ({ kind, index: at }) => (kind === 'take_over' || kind === 'hand_back') && (at === index || at === index - 1),
    )
    if (!mark) return { group: 'owner', points: [], words: { key: 'other', type: 'run:owner' } }
    const before = this.#events[index - 1]?.event_seq ?? event_seq
    const skipped = event_seq - before > SKIP ? ([before + 1, event_seq - 1] as const) : null
    const key = mark.kind === 'hand_back' ? 'hand_back' : 'take_over'
    const instance = stringOf(data?.['instance']) ?? mark.instance
    return { group: `owner ${mark.index}`, points: [], words: { key, instance, skipped } }
  }

  /** A call's beginning or its end; those that were over at once share a row. */
  #worked(index: number, point: Point): Draft {
    const bar = this.#tools.get(index)
    if (!bar) return { group: 'status', points: [], words: { key: 'other', type: 'turn:patch' } }
    const name = bar.display_name || bar.tool_name
    const isQuick = !bar.isOpen && bar.outcome === 'done' && bar.to - bar.from <= QUICK_MS
    if (isQuick) return { group: `tools ${bar.loop_id}`, points: [point], words: { key: 'tools', names: [name] } }
    if (point === 'C5')
      return { group: null, points: [point], words: { key: 'tool_claim', name, attempt: bar.attempt } }
    return { group: null, points: [point], words: { key: 'tool_result', name, outcome: bar.outcome } }
  }

  #turned(event: RecordedEvent): Draft {
    const { role, kind, status = '', failure_reason } = turnOf(event)!
    const isStart = event.type === 'turn:start'
    if (kind === 'compaction') {
      const words = { key: isStart ? 'compaction' : 'compacted' } as const
      return { group: null, points: [isStart ? 'C10' : 'C11'], words }
    }
    if (role === 'user') return { group: `added ${event.turn_id}`, points: [], words: { key: 'added' } }
    if (isStart) return { group: `announced ${event.loop_id}`, points: ['C2b'], words: { key: 'announced' } }
    if (failure_reason) return { group: null, points: [], words: { key: 'half_closed', reason: failure_reason } }
    return { group: null, points: [], words: { key: 'turn_end', status } }
  }

  #patched(event: RecordedEvent, index: number): Draft {
    const { turn_id } = event
    const text = textOf(event)
    if (text) {
      const key = text.type === 'thinking' ? 'thinking' : 'text'
      return { group: `${key} ${turn_id}`, points: ['C3'], words: { key, characters: text.characters } }
    }
    const { patch_type = '', data = {} } = patchOf(event) ?? {}
    const asked = this.#asked.get(index)
    if (asked?.about === 'consent')
      return { group: `asked ${turn_id}`, points: ['C7'], words: { key: 'asked', name: asked.display_name } }
    if (patch_type === 'add_tool_call')
      return { group: `answer ${turn_id}`, points: ['C4'], words: { key: 'answer', calls: 1 } }
    if (patch_type === 'set_tool_status' && data.status === 'awaiting_answer')
      return { group: `asked ${turn_id}`, points: ['C7'], words: { key: 'asked', name: null } }
    if (patch_type === 'tool_result') return this.#worked(index, 'C6')
    return { group: 'status', points: [], words: { key: 'other', type: event.type } }
  }

  /** A run's beginning is one commit, and so is its end: each is one row. */
  #findEdges(): void {
    for (const [index, event] of this.#events.entries()) {
      if (event.type === 'chat:start') this.#findBeginning(index, event)
      if (event.type === 'chat:end') this.#findEnd(index, event)
    }
  }

  #findBeginning(first: number, { run_id, at }: RecordedEvent): void {
    let last = first
    const isPart = (event: RecordedEvent | undefined) =>
      event?.run_id === run_id && event?.at === at && !['run:model_call', 'chat:end'].includes(event.type)
    while (isPart(this.#events[last + 1])) last++
    const hasAnswer = this.#events.slice(first, last + 1).some((event) => isAnswer(turnOf(event) ?? {}))
    const draft: Draft = hasAnswer
      ? { group: `began ${run_id}`, points: ['C8'], words: { key: 'decided', confirmation_id: this.#decidedAt(first) } }
      : { group: `began ${run_id}`, points: ['C1'], words: { key: 'accepted' } }
    for (let index = first; index <= last; index++) this.#edges.set(index, draft)
  }

  /** What was asked before this event and open until it. */
  #decidedAt(index: number): string | null {
    const asked = [...this.#asked.values()].findLast(({ first, last }) => first < index && last >= index)
    return asked?.confirmation_id ?? null
  }

  #findEnd(at: number, { run_id, data }: RecordedEvent): void {
    const isPart = (event: RecordedEvent | undefined) =>
      event !== undefined && ['turn:start', 'turn:end', 'system:error'].includes(event.type)
    let first = at
    while (isPart(this.#events[first - 1]) && !this.#edges.has(first - 1)) first--
    const isWaiting = data?.['session_status'] === 'waiting_for_input'
    const words = { key: 'ended', status: stringOf(data?.['status']) ?? '', isWaiting } as const
    const last = this.#events[at + 1]?.type === 'session:updated' ? at + 1 : at
    for (let index = first; index <= last; index++)
      this.#edges.set(index, { group: `ended ${run_id}`, points: ['C9'], words })
  }

  /** The model, or the earlier call that was given the same. */
  #contextOf(call: ModelBar | undefined): RowDetail | null {
    if (!call) return null
    const given = this.#events.slice(call.first, call.last + 1).find(({ type }) => type === 'run:model_input')
    const digest = stringOf(given?.data?.['messages'])
    const earlier = digest === null ? undefined : this.#contexts.get(digest)
    if (digest !== null && earlier === undefined) this.#contexts.set(digest, call.call)
    if (earlier !== undefined) return { key: 'same_context', call: earlier }
    return call.model === null ? null : { key: 'model', model: call.model }
  }

  #tokensAt(index: number): RowDetail | null {
    const usage = this.#events[index]?.data?.['usage'] as { input_tokens?: number; output_tokens?: number } | null
    return usage?.input_tokens === undefined
      ? null
      : { key: 'tokens', input: usage.input_tokens, output: usage.output_tokens ?? 0 }
  }

  #lengthAt(index: number): RowDetail | null {
    const bar = this.#tools.get(index)
    return bar ? { key: 'duration', ms: bar.to - bar.from } : null
  }

  #riskAt(from: number, to: number): RowDetail | null {
    for (let index = from; index <= to; index++) {
      const risk = this.#asked.get(index)?.risk
      if (risk) return { key: 'risk', risk }
    }
    return null
  }

  #epochAt(index: number): RowDetail | null {
    const epoch = this.#events[index]?.data?.['epoch']
    return typeof epoch === 'number' ? { key: 'epoch', epoch } : null
  }
}
