import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { Shown } from './encoding.ts'
import { parseEventId } from './event-ids.ts'
import { Unsent } from './unsent.ts'

/** [S10.9] How far a reader may be behind. */
const MAX_BEHIND_BYTES = 1024 * 1024

export type ReadAheadOptions = {
  response: Pick<ServerResponse, 'writableLength' | 'writableNeedDrain' | 'destroy'>
  /** Where the journal stood when the reader came. Up to there it catches up at its own pace, and is not behind. */
  head: number
}

type Pages = AsyncGenerator<readonly Shown[]>

/**
 * Reads what happens as it happens, whatever the reader does, so that one who cannot keep up is seen: what it was not sent
 * has a bound, and at the bound it is disconnected. It may resume ([S10.9]). `open` gets a signal that ends the reading.
 */
export async function* readAhead(open: (left: AbortSignal) => Pages, options: ReadAheadOptions): AsyncGenerator<Shown> {
  const left = new AbortController()
  const unsent = new Unsent()
  const reading = readInto(unsent, open(left.signal), options)
  // Thrown where it is awaited, once all that came before it was told.
  reading.catch(() => undefined)
  try {
    for (;;) {
      const shown = unsent.take()
      if (shown !== undefined) yield shown
      else if (unsent.isClosed) break
      else await unsent.changed()
    }
    await reading
  } finally {
    left.abort()
    unsent.close()
    await reading.catch(() => undefined)
  }
}

async function readInto(unsent: Unsent, pages: Pages, { response, head }: ReadAheadOptions): Promise<void> {
  let isLive = false
  try {
    for await (const page of pages) {
      for (const shown of page) {
        if (unsent.isClosed) return
        isLive ||= isAfter(shown, head)
        // Asked before it is put in: one event alone is never too much, however long it is.
        if (isLive && unsent.bytes + response.writableLength > MAX_BEHIND_BYTES) {
          response.destroy()
          return
        }
        unsent.put(shown, { mayMerge: response.writableNeedDrain })
      }
      if (!isLive) await unsent.emptied()
      // The journal may have much at once, without one look at a socket in between.
      else if (unsent.bytes > 0) await setImmediate()
    }
  } finally {
    unsent.close()
  }
}

function isAfter(shown: Shown, head: number): boolean {
  const place = typeof shown === 'object' && 'id' in shown ? parseEventId(shown.id) : undefined
  return place !== undefined && place.event_seq > head
}
