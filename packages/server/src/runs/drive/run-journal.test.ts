import { describe, expect, test } from 'vitest'
import { clock, ids } from '../../../test/sessions/rig.ts'
import type { Append, Appended } from '../../store/append.ts'
import type { Engine } from '../../store/engine.ts'
import { StoreError } from '../../store/errors.ts'
import { appendPending, RunJournal } from './run-journal.ts'
import { systemTimers } from '../../store/timers.ts'
import { TurnBook } from '../turn-book.ts'

const lease = { session_id: 'sess_1', run_id: 'chat_1', epoch: 1 }

/** A store whose writes end when the test says so. */
class SlowStore {
  readonly timers = systemTimers
  readonly appends: Append[] = []
  readonly #waiting: PromiseWithResolvers<Appended>[] = []

  append(append: Append): Promise<Appended> {
    this.appends.push(append)
    const waiting = Promise.withResolvers<Appended>()
    this.#waiting.push(waiting)
    return waiting.promise
  }

  /** The store's transaction: what the work appends is one more append. */
  async write<T>(work: () => Generator<unknown, T, unknown[]>): Promise<T> {
    const steps = work()
    let next = steps.next([])
    while (!next.done) {
      const step = next.value as { sql?: string; parameters?: unknown[]; appended?: { events: Append['events'] } }
      if (step.appended) await this.append({ ...lease, epoch: 1, batch: 'work', events: step.appended.events })
      next = steps.next(step.sql?.includes('RETURNING head') ? [{ head: 100, last_at: 0, stop_requested: 0 }] : [])
    }
    return next.value
  }

  async commit(result: Partial<Appended> = {}): Promise<void> {
    this.#waiting.shift()?.resolve({ head: 1, at: 0, stop_requested: false, ...result })
    await new Promise((resolve) => setImmediate(resolve))
  }

  async refuse(): Promise<void> {
    this.#waiting.shift()!.reject(new StoreError('fenced', 'Epoch 1 is over.'))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function open() {
  const store = new SlowStore()
  const book = new TurnBook({
    run_id: 'chat_1',
    nextSequence: 0,
    clock,
    ids,
    contextWindow: () => 0,
    solution_id: null,
  })
  let isStopRequested = false
  const owner = { isHeld: true }
  const journal = new RunJournal({
    engine: store as unknown as Engine,
    lease,
    book,
    isHeld: () => owner.isHeld,
    onStopRequested: () => {
      isStopRequested = true
    },
  })
  const said = () => store.appends.map(({ events }) => events.map(({ type, data }) => short(type, data)))
  return { store, book, journal, said, owner, isStopRequested: () => isStopRequested }
}

function short(type: string, data: string): string {
  const delta = (JSON.parse(data) as { data?: { text_delta?: string } }).data?.text_delta
  return delta === undefined ? type : `text ${delta}`
}

describe('the run’s journal', () => {
  test('[D2.1] one append is in flight at a time; what comes meanwhile goes with the next one, in order', async () => {
    const { store, journal, said } = open()
    journal.write((book) => book.notify('chat:start', { run_id: 'chat_1' }))
    journal.write((book) => book.startTurn({ role: 'assistant', turn_id: 't' }))
    void journal.text({ turn_id: 't', block: 'text', delta: 'a', isNewBlock: true })
    journal.write((book) => book.endTurn('t', 'completed'))
    expect(said()).toEqual([['chat:start']])
    await store.commit()
    expect(said().slice(1)).toEqual([['turn:start', 'text a', 'turn:end']])
  })

  test('[D3] once the lease is lost nothing is stored any more, pending or new', async () => {
    const { store, journal, said, owner } = open()
    journal.write((book) => book.startTurn({ role: 'assistant', turn_id: 't' }))
    void journal.text({ turn_id: 't', block: 'text', delta: 'pending', isNewBlock: true })
    owner.isHeld = false
    await store.commit()
    await expect(journal.stored()).rejects.toThrow('has left this instance')
    await expect(journal.commit((append) => appendPending(append))).rejects.toThrow('has left this instance')
    expect(said()).toEqual([['turn:start']])
  })

  test('[D2.1] text goes at once; what comes while it is on its way is one piece', async () => {
    const { store, journal, said } = open()
    journal.write((book) => book.startTurn({ role: 'assistant', turn_id: 't' }))
    await store.commit()
    void journal.text({ turn_id: 't', block: 'text', delta: 'a', isNewBlock: true })
    expect(said().at(-1)).toEqual(['text a'])
    void journal.text({ turn_id: 't', block: 'text', delta: 'b', isNewBlock: false })
    void journal.text({ turn_id: 't', block: 'text', delta: 'c', isNewBlock: false })
    expect(said()).toHaveLength(2)
    await store.commit()
    expect(said().at(-1)).toEqual(['text bc'])
    const stored = journal.stored()
    await store.commit()
    await stored
  })

  test('texts of two turns do not mix, and each goes to its own block', async () => {
    const { store, book, journal } = open()
    journal.write((one) => one.startTurn({ role: 'assistant', turn_id: 't' }))
    journal.write((one) => one.startTurn({ role: 'assistant', turn_id: 'u' }))
    void journal.text({ turn_id: 't', block: 'thinking', delta: 'hm', isNewBlock: true })
    void journal.text({ turn_id: 'u', block: 'text', delta: 'u1', isNewBlock: true })
    void journal.text({ turn_id: 't', block: 'text', delta: 't1', isNewBlock: true })
    void journal.text({ turn_id: 'u', block: 'text', delta: 'u2', isNewBlock: false })
    void journal.text({ turn_id: 't', block: 'text', delta: 't2', isNewBlock: false })
    const stored = journal.stored()
    for (let commits = 1; commits <= 3; commits++) await store.commit()
    await stored
    expect(book.turn('t').blocks.map(({ content }) => content)).toEqual(['hm', 't1t2'])
    expect(book.turn('u').blocks.map(({ content }) => content)).toEqual(['u1u2'])
  })

  test('[D2.2] fenced with more to write: whoever waits gets the failure, whoever writes later too', async () => {
    const { store, journal, said } = open()
    journal.write((book) => book.notify('chat:start', { run_id: 'chat_1' }))
    journal.write((book) => book.startTurn({ role: 'assistant', turn_id: 't' }))
    const stored = expect(journal.stored()).rejects.toMatchObject({ code: 'fenced' })
    await store.refuse()
    await stored
    expect(() => journal.write(() => undefined)).toThrow('Epoch 1 is over.')
    await expect(journal.commit(appendPending)).rejects.toMatchObject({ code: 'fenced' })
    expect(said()).toEqual([['chat:start']])
  })

  test('[D2.3] a commit’s change is part of its transaction, whatever was in flight when it came', async () => {
    const { store, journal, said } = open()
    journal.write((book) => book.notify('chat:start', { run_id: 'chat_1' }))
    journal.write((book) => book.startTurn({ role: 'assistant', turn_id: 't' }))
    const committed = journal.commit(appendPending, (book) => book.hidden('run:tool_claim', {}))
    await store.commit() // chat:start; the rest must not be joined by the claim
    await store.commit()
    await store.commit()
    await committed
    expect(said()).toEqual([['chat:start'], ['turn:start'], ['run:tool_claim']])
    expect(store.appends.at(-1)!.batch).toBe('work')
  })

  test('what is written during a commit follows it', async () => {
    const { store, journal, said } = open()
    const committed = journal.commit(appendPending, (book) => book.hidden('run:tool_claim', {}))
    journal.write((book) => book.notify('chat:start', { run_id: 'chat_1' }))
    await store.commit()
    await committed
    expect(said()).toEqual([['run:tool_claim'], ['chat:start']])
  })

  test('a work that fails ends the journal: its page is lost, so nothing may follow it', async () => {
    const { journal } = open()
    // oxlint-disable-next-line require-yield
    const broken = journal.commit(function* () {
      throw new Error('broken work')
    })
    await expect(broken).rejects.toThrow('broken work')
    expect(() => journal.write(() => undefined)).toThrow('broken work')
  })

  test('a model faster than the disk waits, also when its text has left the buffer for the book', async () => {
    const { store, journal } = open()
    journal.write((book) => book.startTurn({ role: 'assistant', turn_id: 't' }))
    const piece = 'x'.repeat(100 * 1024)
    await journal.text({ turn_id: 't', block: 'text', delta: piece, isNewBlock: true })
    await journal.text({ turn_id: 't', block: 'text', delta: piece, isNewBlock: true })
    let isWaiting = true
    const third = journal.text({ turn_id: 't', block: 'text', delta: piece, isNewBlock: true }).then(() => {
      isWaiting = false
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isWaiting).toBe(true)
    await store.commit()
    await store.commit()
    await third
  })

  test('a stop that an append finds is told', async () => {
    const { store, journal, isStopRequested } = open()
    journal.write((book) => book.notify('chat:start', { run_id: 'chat_1' }))
    await store.commit({ stop_requested: true })
    expect(isStopRequested()).toBe(true)
  })
})
