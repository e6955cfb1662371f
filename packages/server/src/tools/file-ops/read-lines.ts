import type { FileHandle } from 'node:fs/promises'
import { scanLines } from './scan-lines.ts'

export type LineRange = {
  /** First line, from 1. */
  offset: number
  limit: number
  /** Stops before the line that would pass this many bytes; the first line is always there, cut. */
  maxBytes: number
  /** Longer lines are cut. */
  maxLineBytes: number
  /** Gives up looking for the first line after this much of the file. */
  maxScanBytes: number
  signal: AbortSignal
}

export type Lines = {
  lines: string[]
  /** Lines of the file that were passed, those shown included. */
  seen: number
  end: 'of_file' | 'more' | 'too_far'
}

/** Some lines of a file of any size, in bounded memory. */
export async function readLines(handle: FileHandle, range: LineRange): Promise<Lines> {
  const { offset, limit, maxBytes, maxLineBytes, maxScanBytes, signal } = range
  const lines: string[] = []
  let total = 0
  const { seen, end } = await scanLines(handle, {
    maxLineBytes,
    signal,
    wants: (number) => number >= offset,
    onLine(_number, text, bytes) {
      if (lines.length === limit || (lines.length > 0 && total + bytes > maxBytes)) return false
      total += bytes + 1
      lines.push(text)
      return true
    },
    isEnough: (scanned, passed) => scanned >= maxScanBytes && passed + 1 < offset,
  })
  return { lines, seen, end: ENDS[end] }
}

const ENDS = { of_file: 'of_file', stopped: 'more', enough: 'too_far' } as const
