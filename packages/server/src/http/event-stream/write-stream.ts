import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/** Begins the answer as an event stream: from here on nobody but `writeStream` writes it. `own` are a protocol's own headers. */
export function openStream(reply: FastifyReply, own: Readonly<Record<string, string>> = {}): ServerResponse {
  reply.hijack()
  return reply.raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...HEADERS, ...own })
}

/**
 * Writes the frames and ends the response. They are pulled only as fast as the reader reads, so that a slow one holds up
 * its own stream and nothing else; `signal` says that it is gone.
 */
export async function writeStream(
  response: ServerResponse,
  frames: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const frame of frames) {
      // Asked before a frame and not after it: nobody waits for room behind the last one.
      if (response.writableNeedDrain) await drained(response, signal)
      response.write(frame)
    }
  } finally {
    response.end()
  }
}

async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const wake = () => {
      response.off('drain', wake)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    response.once('drain', wake)
    signal.addEventListener('abort', wake)
  })
}
