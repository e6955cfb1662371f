import type { Readable } from 'node:stream'

export type LineOptions = {
  /** In bytes. A longer line is told once, and nothing is read after it. */
  limit: number
  onLine: (line: string) => void
  onTooLong: () => void
}

const NEWLINE = 0x0a

/** What comes, line by line. What never ends is never kept. */
export function boundedLines(stream: Readable, { limit, onLine, onTooLong }: LineOptions): void {
  let begun: Buffer[] = []
  let length = 0
  const onData = (chunk: Buffer) => {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      if (length + end - from > limit) return stop()
      const line = Buffer.concat([...begun, chunk.subarray(from, end)]).toString()
      ;[begun, length, from] = [[], 0, end + 1]
      onLine(line)
    }
    length += chunk.length - from
    begun.push(chunk.subarray(from))
    if (length > limit) stop()
  }
  const stop = () => {
    begun = []
    stream.off('data', onData).resume()
    onTooLong()
  }
  stream.on('data', onData)
}
