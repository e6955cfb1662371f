import type { TurnProjection } from '@parley/protocol'
import type { ContentRow, NewEvent, TurnRow } from '../store/append.ts'

/** What is journaled but never sent: how a recovered run knows what was intended, answered and begun. */
export type HiddenEvent =
  | 'run:owner'
  | 'run:terms'
  | 'run:declined'
  | 'run:unbegun'
  | 'run:model_call'
  | 'run:model_input'
  | 'run:answer'
  | 'run:tool_claim'
  | 'run:refused'
  | 'run:quiet_end'

/** The turn and the loop that an event is about, if it is. */
export type About = { turn_id?: string | null; loop_id?: string | null }

export type TakenPage = { events: NewEvent[]; turns: TurnRow[]; contents: ContentRow[] }

/** What a book has told since the last append: events in order, and the rows that they imply, the newest of each turn. */
export class BookPage {
  readonly #its: { run_id: string; solution_id: string | null }
  #events: NewEvent[] = []
  #rows = new Map<string, TurnRow>()
  #contents: ContentRow[] = []

  constructor(its: { run_id: string; solution_id: string | null }) {
    this.#its = its
  }

  get isEmpty(): boolean {
    return this.#events.length === 0
  }

  take(): TakenPage {
    const page = { events: this.#events, turns: [...this.#rows.values()], contents: this.#contents }
    this.#events = []
    this.#rows = new Map()
    this.#contents = []
    return page
  }

  tell(type: string, payload: object, about: About = {}): void {
    this.#events.push(this.#event(type, payload, about))
  }

  tellTurn(type: 'turn:start' | 'turn:end', turn: TurnProjection): void {
    this.tell(type, { ...turn, solution_id: this.#its.solution_id, template_id: null }, turn)
  }

  tellText(payload: object, turn: TurnProjection): void {
    this.#events.push({ ...this.#event('turn:patch', payload, turn), text: true })
  }

  keepTurn(turn: TurnProjection, messages: string | null): void {
    const { turn_id, sequence, run_id, loop_id, status } = turn
    this.#rows.set(turn_id, { turn_id, sequence, run_id, loop_id, status, projection: JSON.stringify(turn), messages })
  }

  keepContents(contents: readonly ContentRow[]): void {
    this.#contents.push(...contents)
  }

  #event(type: string, payload: object, { turn_id = null, loop_id = null }: About): NewEvent {
    return { type, data: JSON.stringify(payload), run_id: this.#its.run_id, loop_id, turn_id }
  }
}
