import { setTimeout as delay } from 'node:timers/promises'
import { isAgentError } from '@parley/protocol'
import { oneByOne } from '../../feed/encoding.ts'
import { feed, type FeedSource } from '../../feed/feed.ts'

/** How long a run that was interrupted is waited for. */
const WIND_DOWN_MS = 5_000
/** A client that hangs up and asks again may be heard in the other order. */
const HEARING_MS = 300
const LOOK_MS = 50

export type WindDown<T> = {
  session_id: string
  source: FeedSource
  /** Throws `session_busy` while a run is under way. */
  send: () => Promise<T>
  isEnding: (run_id: string) => Promise<boolean>
  /** Whoever asks has left. */
  signal: AbortSignal
}

/** [O12.3] Sends, once a run that is being interrupted has wound down; one that is not stays in the way. */
export async function sendAfterWindDown<T>(options: WindDown<T>): Promise<T> {
  const { send, signal } = options
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(WIND_DOWN_MS)])
  for (;;) {
    try {
      return await send()
    } catch (error) {
      const run_id = isAgentError(error, 'session_busy') ? error.details?.['run_id'] : undefined
      if (typeof run_id !== 'string' || deadline.aborted || !(await isHeardToEnd(run_id, options))) throw error
      await waitForEnd(run_id, options, deadline)
    }
  }
}

async function isHeardToEnd(run_id: string, { isEnding, signal }: WindDown<unknown>): Promise<boolean> {
  for (let waited = 0; waited < HEARING_MS && !signal.aborted; waited += LOOK_MS) {
    if (await isEnding(run_id)) return true
    await delay(LOOK_MS)
  }
  return isEnding(run_id)
}

/** Until the session is free of it, or time is over. */
async function waitForEnd(
  run_id: string,
  { session_id, source }: WindDown<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const ends = oneByOne<string | null>({
    told: ({ name, payload }) => (name === 'chat:end' ? [payload.run_id] : []),
    stored: (event) => (event.type === 'chat:end' ? [event.run_id] : []),
  })
  for await (const { shown, caughtUp } of feed(source, { session_id, start: 'picture', encoding: ends, signal }))
    if (shown.includes(run_id) || (caughtUp && caughtUp.run_id !== run_id)) return
}
