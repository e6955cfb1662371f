import { chatKitError } from '../model/chat-kit-error.ts'
import { devWarning } from '../model/dev-warning.ts'
import type { StreamEvent } from '../stream/event-parser.ts'
import { type ClassRun, type Fold, foldStream } from './class-run.ts'
import type { RenderRecorder } from './render-recorder.ts'

export type ReadStream = (options: { signal: AbortSignal; onAlive: () => void }) => AsyncIterable<StreamEvent>

export type ClassRuns = ReturnType<typeof createClassRuns>

const byKit = new WeakMap<object, ClassRuns>()

/** The runs of a kit. Beside it, so that they are no part of what a subclass sees. */
export function runsOf(kit: object): ClassRuns {
  const runs = byKit.get(kit) ?? createClassRuns()
  byKit.set(kit, runs)
  return runs
}

/** Which run the methods of a subclass apply to: the one whose event is being processed, else the newest. */
function createClassRuns() {
  let newest: ClassRun | null = null
  let processing: ClassRun | null = null

  const active = (): ClassRun | null => {
    const run = processing ?? newest
    return run && !run.io.signal.aborted ? run : null
  }

  const during = <R>(run: ClassRun, step: () => R): R => {
    const outer = processing
    processing = run
    try {
      return step()
    } finally {
      processing = outer
    }
  }

  return {
    begin: (run: ClassRun): void => {
      newest = run
    },
    active,
    /** Where render methods write. */
    recorder: (): RenderRecorder | undefined => {
      const run = active()
      devWarning(() => !run, 'A render method was called while no run is active; it did nothing.')
      return run?.recorder
    },
    /** Folds a stream for the active run; resolves when all of it is shown. */
    fold: async <T, K>(read: ReadStream, { initial, reduce, render }: Fold<T, K>): Promise<void> => {
      const run = active()
      if (!run) throw chatKitError('aborted', 'There is no active run to read a stream for.')
      const folding = foldStream<T, K>(read({ signal: run.io.signal, onAlive: run.io.alive }), {
        initial,
        reduce: (event, prev) => during(run, () => reduce(event, prev)),
        render: (message) => during(run, () => render(message)),
      })
      await run.holds(folding, true)
      await run.drained()
    },
  }
}
