import type { FileHandle } from 'node:fs/promises'

const CHUNK_BYTES = 64 * 1024

export type LineScan = {
  /** Asked of every line, from 1, before it is kept in memory. */
  wants: (number: number) => boolean
  /** Gets the wanted lines, without their ends; `false` ends the scan before this line counts as seen. */
  onLine: (number: number, text: string, bytes: number) => boolean
  /** Longer lines are cut. */
  maxLineBytes: number
  /** Asked after every chunk; `true` gives up. */
  isEnough?: (scannedBytes: number, linesSeen: number) => boolean
  signal: AbortSignal
}

export type Scanned = { seen: number; end: 'of_file' | 'stopped' | 'enough' }

/** Goes through a file of any size line by line, in bounded memory. */
export async function scanLines(handle: FileHandle, scan: LineScan): Promise<Scanned> {
  const lines = new LineSplitter(scan)
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (let position = 0; ;) {
    scan.signal.throwIfAborted()
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, position)
    if (bytesRead === 0) return { end: lines.finish() ? 'of_file' : 'stopped', seen: lines.seen }
    position += bytesRead
    if (!lines.push(chunk.subarray(0, bytesRead))) return { end: 'stopped', seen: lines.seen }
    if (scan.isEnough?.(position, lines.seen)) return { end: 'enough', seen: lines.seen }
  }
}

class LineSplitter {
  readonly #scan: LineScan
  seen = 0
  /** What is kept of the line under way, and how long it really is. */
  #parts: Buffer[] = []
  #kept = 0
  #length = 0

  constructor(scan: LineScan) {
    this.#scan = scan
  }

  push(chunk: Buffer): boolean {
    for (let from = 0; from < chunk.length;) {
      const newline = chunk.indexOf(10, from)
      this.#keep(chunk.subarray(from, newline === -1 ? chunk.length : newline))
      if (newline === -1) return true
      if (!this.#endLine()) return false
      from = newline + 1
    }
    return true
  }

  /** The last line need not end in one. */
  finish(): boolean {
    return this.#length === 0 || this.#endLine()
  }

  #keep(part: Buffer): void {
    this.#length += part.length
    if (this.#kept >= this.#scan.maxLineBytes || !this.#scan.wants(this.seen + 1)) return
    const taken = Buffer.from(part.subarray(0, this.#scan.maxLineBytes - this.#kept))
    this.#parts.push(taken)
    this.#kept += taken.length
  }

  #endLine(): boolean {
    const { wants, onLine } = this.#scan
    const number = this.seen + 1
    if (wants(number) && !onLine(number, this.#text(), this.#kept)) return false
    this.seen = number
    this.#parts = []
    this.#kept = 0
    this.#length = 0
    return true
  }

  #text(): string {
    const text = Buffer.concat(this.#parts).toString('utf8')
    if (this.#length > this.#kept) return `${text}… (cut: this line has ${this.#length} bytes)`
    return text.endsWith('\r') ? text.slice(0, -1) : text
  }
}
