import type { ChatEndPayload, SystemErrorPayload } from '@parley/protocol'
import type { Accepted } from '../../../sessions/service.ts'
import { feed, type FeedSource } from '../../../feed/feed.ts'
import { delta } from '../encodings/delta.ts'
import type { Shown } from '../encodings/shown.ts'
import type { ToldEnd } from './chat-outcome.ts'

/** The end of a run, whoever drives it; `undefined` when the signal came first, or the session is gone. */
export async function waitForEnd(
  source: FeedSource,
  { session_id, run_id, since }: Accepted,
  signal: AbortSignal,
): Promise<ToldEnd | undefined> {
  const startedAt = source.now()
  let firstAt: number | undefined
  let errors: unknown
  const start = { runAt: since, run_id }
  for await (const { shown } of feed(source, { session_id, start, encoding: delta, signal })) {
    for (const event of shown) {
      firstAt ??= event.at
      if (event.name === 'system:error') errors = errorsOf(event) ?? errors
      const end = endOf(event, run_id)
      if (!end) continue
      const durationMs = event.at === undefined || firstAt === undefined ? source.now() - startedAt : event.at - firstAt
      return { end, errors, durationMs: Math.round(durationMs) }
    }
  }
  return undefined
}

/** The payload, if this is that run's `chat:end`. */
export function endOf({ name, payload }: Shown, run_id: string): ChatEndPayload | undefined {
  if (name !== 'chat:end') return undefined
  const end = JSON.parse(payload) as ChatEndPayload
  return end.run_id === run_id ? end : undefined
}

function errorsOf({ payload }: Shown): unknown {
  const { detail } = JSON.parse(payload) as SystemErrorPayload
  return (detail as { errors?: unknown } | null | undefined)?.errors
}
