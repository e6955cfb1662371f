import type { ServerResponse } from 'node:http'

/** So much at a time, so that a slow reader of a long frame is seen to read. */
const SLICE_BYTES = 64 * 1024

/**
 * Writes a frame and waits until the system has taken all of it. `false`: the reader is gone, or took nothing for so long
 * that it was sent away ([O10.5]).
 */
export async function writeSlowly(
  response: ServerResponse,
  frame: string,
  { stallMs, gone }: { stallMs: number; gone: AbortSignal },
): Promise<boolean> {
  const bytes = Buffer.from(frame)
  for (let at = 0; at < bytes.length; at += SLICE_BYTES)
    if (!(await taken(response, bytes.subarray(at, at + SLICE_BYTES), { stallMs, gone }))) return false
  return true
}

async function taken(
  response: ServerResponse,
  slice: Buffer,
  { stallMs, gone }: { stallMs: number; gone: AbortSignal },
): Promise<boolean> {
  if (gone.aborted || response.destroyed) return false
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const leave = () => resolve(false)
  const timer = setTimeout(() => {
    response.destroy()
    leave()
  }, stallMs)
  gone.addEventListener('abort', leave)
  response.write(slice, (error) => resolve(!error))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    gone.removeEventListener('abort', leave)
  }
}
