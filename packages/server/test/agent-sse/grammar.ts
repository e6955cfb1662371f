import { expect } from 'vitest'
import type { Frame } from './sse.ts'

const OTHER = { content_chunk: 'c', tool_call_started: 't', tool_call_completed: 'u', tool_error: 'u' }
const LETTERS: Record<string, string> = {
  ...OTHER,
  processing_started: 'P',
  knowledge_retrieved: 'K',
  confirmation_check: 'C',
  iteration_started: 'I',
  iteration_completed: 'J',
  decision: 'D',
  completed: 'Z',
  max_iterations: 'M',
  confirmation_required: 'R',
  error: 'E',
  cancelled: 'X',
}

// [S6.1], a letter for each event; `f` is the last piece of text, `d` a decision that says no.
const ITERATION = 'Ic*(?:t|u)+J'
const LAST = ['Ic*fDJZ', 'dMZ', '(?:Ic*(?:t|u)*J)?C?R', '(?:I[ctu]*)?E', '(?:I[ctu]*)?dX'].join('|')
const RUN = new RegExp(`^P(?:fdZ|K?C?(?:${ITERATION}|I[ctu]*J(?=I))*(?:${LAST}))$`)

/** [S6.1] [S6.2] Every run follows the grammar, its iterations and calls pair up, and its ids grow. */
export function expectGrammar(events: readonly Frame[]): void {
  const told = events.filter(({ type }) => type !== 'heartbeat')
  const letters = told.map(({ type, data }) => {
    if (type === 'content_chunk' && data['isComplete'] === true) return 'f'
    if (type === 'decision' && data['completed'] === false) return 'd'
    return LETTERS[type]
  })
  expect(letters.join('')).toMatch(RUN)
  expectPairs(told)
  const numbers = told.map(({ id }) => Number(id.split('_')[2]))
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
  expect(new Set(numbers).size).toBe(numbers.length)
}

function expectPairs(told: readonly Frame[]): void {
  const isBroken = ['error', 'cancelled'].includes(told.at(-1)!.type)
  const of = (type: string, name: string) => told.filter((event) => event.type === type).map(({ data }) => data[name])
  const started = of('tool_call_started', 'toolCallId')
  const ended = [...of('tool_call_completed', 'toolCallId'), ...of('tool_error', 'toolCallId')]
  expect(new Set(started).size).toBe(started.length)
  if (isBroken) return
  expect(new Set(ended)).toEqual(new Set(started))
  expect(ended.length).toBe(started.length)
  expect(of('iteration_completed', 'iteration')).toEqual(of('iteration_started', 'iteration'))
}
