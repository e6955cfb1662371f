import type { Said } from './events.ts'
import type { RunState } from './run-state.ts'

/** [S6.2.4] A new one, told at once. */
export function beginIteration(run: RunState, at: number): Said[] {
  if (run.open || run.calledAt === null) return []
  return tellIteration(run, at)
}

/** Told before the first thing that belongs to it, if it was not told already. */
export function tellIteration(run: RunState, at = run.startedAt): Said[] {
  if (run.open) return []
  run.iteration += 1
  run.iterations += 1
  run.open = { number: run.iteration, calledAt: run.calledAt ?? at, toolCalls: 0, isAnswer: false }
  run.calledAt = null
  return [{ type: 'iteration_started', data: { iteration: run.iteration, maxIterations: run.maxIterations } }]
}

export function closeIteration(run: RunState, at: number): Said[] {
  const { open } = run
  if (!open) return []
  run.open = null
  const { number: iteration, toolCalls: toolCallCount } = open
  return [{ type: 'iteration_completed', data: { iteration, duration: at - open.calledAt, toolCallCount } }]
}

/** [D3] The server that worked on it is gone. It does not count: the one that is begun in its place has its number. */
export function cutIteration(run: RunState, at: number): Said[] {
  run.calledAt = null
  if (!run.open) return []
  const closed = closeIteration(run, at)
  run.iteration -= 1
  run.iterations -= 1
  return closed.map((said) =>
    said.type === 'iteration_completed' ? { ...said, data: { ...said.data, interrupted: true } } : said,
  )
}
