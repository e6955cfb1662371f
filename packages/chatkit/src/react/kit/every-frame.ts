import type { Schedule } from '../../store/state-holder.ts'

const HIDDEN_MS = 250

/** One change of state per drawn frame; a page in the background, which draws none, is served by a timer. */
export const everyFrame: Schedule = (flush) => {
  let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(run, HIDDEN_MS)
  let frame: number | undefined = requestAnimationFrame(run)
  function run() {
    cancel()
    flush()
  }
  function cancel() {
    if (timer !== undefined) clearTimeout(timer)
    if (frame !== undefined) cancelAnimationFrame(frame)
    timer = undefined
    frame = undefined
  }
  return cancel
}
