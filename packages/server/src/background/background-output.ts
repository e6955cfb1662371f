import { type FileHandle, mkdir, open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'

/** Half of what is kept of a background command's output; older output goes. */
const SEGMENT_BYTES = 5 * 1024 * 1024
/** The most that is read back at once. */
const READ_BYTES = 256 * 1024

/** Writes an output to a file, in two segments: when the newer is full it replaces the older. Ends with the output. */
export async function keepOutput(output: Readable, path: string, segmentBytes = SEGMENT_BYTES): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  let file = await createFile(path)
  let bytes = 0
  try {
    for await (const chunk of output as AsyncIterable<Buffer>) {
      if (bytes + chunk.length > segmentBytes && bytes > 0) {
        await file.close()
        await rename(path, older(path))
        file = await createFile(path)
        bytes = 0
      }
      bytes += chunk.length
      await file.writeFile(chunk)
    }
  } finally {
    await file.close()
  }
}

/** The last `lines` lines, and whether there were more. A task that has printed nothing has an empty output. */
export async function readTail(path: string, lines: number): Promise<{ output: string; truncated: boolean }> {
  const newer = await readEnd(path, READ_BYTES)
  const before = await readEnd(older(path), READ_BYTES - newer.bytes.length)
  const text = Buffer.concat([before.bytes, newer.bytes]).toString('utf8')
  const isPart = newer.isPart || before.isPart
  const ended = text.endsWith('\n') ? text.slice(0, -1) : text
  const all = ended.split('\n')
  const last = all.slice(-lines).join('\n')
  return { output: last + text.slice(ended.length), truncated: isPart || all.length > lines }
}

function createFile(path: string): Promise<FileHandle> {
  return open(path, 'w', 0o600)
}

function older(path: string): string {
  return `${path}.1`
}

async function readEnd(path: string, limit: number): Promise<{ bytes: Buffer; isPart: boolean }> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  )
  const length = Math.min(size, limit)
  if (length === 0) return { bytes: Buffer.alloc(0), isPart: size > 0 }
  await using file = await open(path)
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await file.read(bytes, 0, length, size - length)
  return { bytes: bytes.subarray(0, bytesRead), isPart: size > length }
}
