import { write } from 'node:fs'
import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { DestinationStream } from 'pino'

/** Lines that wait for a slow reader, in characters; what comes on top of them is lost. */
const WAITING_CHARACTERS = 1024 * 1024

/**
 * Where log lines go. It never waits and never throws: on a full disk, or into a pipe or terminal that nobody reads, lines are
 * lost, and the next one that gets through says how many.
 */
export class LogOutput implements DestinationStream {
  readonly #put: (text: string) => Promise<void>
  #lines: string[] = []
  #characters = 0
  #lost = 0
  #writing: Promise<void> | undefined

  constructor(stream: NodeJS.WritableStream & { fd: number }) {
    this.#put = stream instanceof Socket ? intoStream(stream) : intoFile(stream.fd)
  }

  write(line: string): void {
    if (this.#characters + line.length > WAITING_CHARACTERS) {
      this.#lost += 1
      return
    }
    this.#lines.push(line)
    this.#characters += line.length
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined))
  }

  /** Resolves when every line is out, or after `timeoutMs`: a reader that is gone must not hold up the end. */
  async flush(timeoutMs: number): Promise<void> {
    await Promise.race([this.#writing, delay(timeoutMs, undefined, { ref: false })])
  }

  async #writeAll(): Promise<void> {
    while (this.#lines.length > 0) {
      const lines = this.#lines.splice(0)
      const lost = this.#lost
      try {
        await this.#put((lost > 0 ? lostNotice(lost) : '') + lines.join(''))
        this.#lost -= lost
      } catch {
        this.#lost += lines.length
      }
      // Only now: what is on its way waits, too.
      this.#characters = this.#lines.reduce((sum, { length }) => sum + length, 0)
    }
  }
}

/** On a line of its own: the last one may have been cut in the middle. */
function lostNotice(lost: number): string {
  return `\n${JSON.stringify({ level: 40, time: Date.now(), lost, msg: 'Log lines were lost: they could not be written.' })}\n`
}

function intoStream(stream: Socket): (text: string) => Promise<void> {
  // Node makes terminals blocking: one that was halted with Ctrl-S would halt the server.
  const { _handle } = stream as { _handle?: { setBlocking?: (isBlocking: boolean) => void } }
  _handle?.setBlocking?.(false)
  // The callback tells; without a listener the event would end the process.
  stream.on('error', () => undefined)
  return (text) => new Promise((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve())))
}

/** Not through Node's stream, which writes files synchronously: a disk that hangs would hang the server. */
function intoFile(fd: number): (text: string) => Promise<void> {
  const put = (bytes: Buffer): Promise<void> =>
    new Promise((resolve, reject) =>
      write(fd, bytes, (error, written) => {
        if (error) reject(error)
        else if (written < bytes.length) put(bytes.subarray(written)).then(resolve, reject)
        else resolve()
      }),
    )
  return (text) => put(Buffer.from(text))
}
