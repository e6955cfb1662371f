import { StringDecoder } from 'node:string_decoder'
import type { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'

const LINE_SHOWN = 500
/** In a second: more lines are counted, and more bytes are not read yet, so that whoever writes them waits. */
const LINES = 50
const BYTES = 1024 * 1024
const WINDOW_MS = 1_000

/** Hands on what a process writes, line by line, without control characters; a flood of it costs only who writes it. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let [lines, bytes, left] = [0, 0, 0]
  let begun = ''
  let timer: NodeJS.Timeout | undefined
  const renew = () => {
    timer = undefined
    if (left > 0) onLine(`(${left} more lines)`)
    ;[lines, bytes, left] = [0, 0, 0]
    stream.resume()
  }
  const tell = (text: string) => {
    const line = stripVTControlCharacters(text)
      .replaceAll(/\p{Cc}/gu, '')
      .trim()
    if (line === '') return
    if (++lines > LINES) left++
    else onLine(line)
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
  })
  stream.on('close', () => {
    tell(begun)
    if (left > 0) onLine(`(${left} more lines)`)
    left = 0
    clearTimeout(timer)
  })
  stream.on('error', () => undefined)
}
