import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

/** A file's bytes and their SHA-256; `undefined` when it is longer than that, also when it has grown since it was found. */
export async function readBounded(
  path: string,
  most: number,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; digest: string } | undefined> {
  await using file = await open(path)
  const { size } = await file.stat()
  if (size > most) return undefined
  // One more than it should have: a file that grows meanwhile shows.
  const buffer = new Uint8Array(size + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  if (length > most) return undefined
  const bytes = buffer.subarray(0, length)
  return { bytes, digest: createHash('sha256').update(bytes).digest('hex') }
}
