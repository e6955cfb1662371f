import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const PAUSE_MS = 30

export type Frame = { event?: string; data?: unknown }

/** Sends frames as a platform would, one after the other. */
export async function play(response: ServerResponse, frames: Iterable<Frame>): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const { event, data } of frames) {
    if (response.destroyed) return
    const named = event ? `event:${event}\n` : ''
    const said = data === undefined ? '' : `data:${typeof data === 'string' ? data : JSON.stringify(data)}\n`
    response.write(`${named}${said}\n`)
    await wait(PAUSE_MS)
  }
  response.end()
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** A text as the pieces it streams in. */
export function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,6}/g) ?? []
}
