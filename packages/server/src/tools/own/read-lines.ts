import { StringDecoder } from 'node:string_decoder'
import type { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'

const LINE_SHOWN = 500
/** In a second: more lines are counted, and more bytes are not read yet, so that whoever writes them waits. */
const LINES = 50
const BYTES = 1024 * 1024
const WINDOW_MS = 1_000

/** A stack trace: what goes on in lines that begin with `at`. */
const FRAME = /^\s+at /

/**
 * Hands on what a process writes, line by line, without control characters; a flood of it costs only who writes it. A stack
 * trace that was written at once is one of them, with line ends in it.
 */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let [lines, bytes, left] = [0, 0, 0]
  let begun = ''
  let timer: NodeJS.Timeout | undefined
  /** What may go on in frames. */
  let open: string[] = []
  const close = () => {
    if (open.length > 0) onLine(open.join('\n'))
    open = []
  }
  const renew = () => {
    timer = undefined
    close()
    if (left > 0) onLine(`(${left} more lines)`)
    ;[lines, bytes, left] = [0, 0, 0]
    stream.resume()
  }
  const tell = (text: string) => {
    const line = stripVTControlCharacters(text)
      .replaceAll(/\p{Cc}/gu, '')
      .trim()
    if (line === '') return
    if (++lines > LINES) return void left++
    if (open.length > 0 && FRAME.test(text)) return void open.push(`    ${line}`)
    close()
    open = [line]
  }
  stream.on('data', (chunk: Buffer) => {
    timer ??= setTimeout(renew, WINDOW_MS).unref()
    bytes += chunk.length
    if (bytes > BYTES) stream.pause()
    const [first = '', ...more] = decoder.write(chunk).split(/[\r\n]+/)
    begun = (begun + first).slice(0, LINE_SHOWN)
    for (const next of more) {
      tell(begun)
      begun = next.slice(0, LINE_SHOWN)
    }
    // The rest of a trace is on its way only if a line has been cut.
    if (begun === '') close()
  })
  stream.on('close', () => {
    tell(begun)
    close()
    if (left > 0) onLine(`(${left} more lines)`)
    left = 0
    clearTimeout(timer)
  })
  stream.on('error', () => undefined)
}
