import { chatKitError } from '../model/chat-kit-error.ts'

/** One event of a stream; `id` is the last id the stream has given, `''` before the first. */
export type StreamEvent = { event: string; data: string; id: string }

export type EventParser = {
  /** Takes decoded text, cut anywhere. */
  push(text: string): void
  /** The stream is over: an unfinished event still counts if its data is whole JSON. */
  end(): void
}

export type EventParserOptions = {
  onEvent: (event: StreamEvent) => void
  /** An event without any data: some servers send a bare `event: ping` or `event: done`. */
  onEventName?: (name: string) => void
}

const MAX_EVENT_LENGTH = 8 * 1024 * 1024

/** The WHATWG event-stream format, for text that arrives in pieces. Looks at every character once. */
export function createEventParser({ onEvent, onEventName }: EventParserOptions): EventParser {
  let line = ''
  let isAfterCR = false
  let event = ''
  let data: string[] = []
  let size = 0
  let id = ''
  /** The whole text, if it began like a JSON value: it may be one object instead of a stream. `null`: it is a stream. */
  let body: string | null = ''

  const grow = (length: number) => {
    size += length
    if (size > MAX_EVENT_LENGTH) throw chatKitError('protocol', 'One event of the stream is larger than 8 MiB.')
  }

  const dispatch = () => {
    if (data.length > 0) onEvent({ event, data: data.join('\n'), id })
    else if (event) onEventName?.(event)
    event = ''
    data = []
    size = 0
  }

  const takeLine = () => {
    const text = line
    line = ''
    if (text === '') return dispatch()
    const colon = text.indexOf(':')
    if (colon === 0) {
      size -= text.length // A comment takes no room, however many there are.
      return
    }
    const name = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') data.push(value)
    else if (name === 'event') event = value
    else if (name === 'id' && !value.includes('\0')) id = value
    if (name === 'data' || name === 'event' || name === 'id' || name === 'retry') body = null
  }

  const push = (text: string) => {
    if (body !== null && (body !== '' || /^\s*[{[]/.test(text))) body += text
    let start = 0
    if (isAfterCR && text !== '') {
      isAfterCR = false
      if (text[0] === '\n') start = 1
    }
    while (start < text.length) {
      const end = endOfLine(text, start)
      grow((end < 0 ? text.length : end) - start)
      if (end < 0) {
        line += text.slice(start)
        return
      }
      line += text.slice(start, end)
      takeLine()
      start = end + 1
      if (text[end] !== '\r') continue
      if (start === text.length) isAfterCR = true
      else if (text[start] === '\n') start += 1
    }
  }

  const end = () => {
    if (line !== '') takeLine()
    if (data.length > 0 && isJson(data.join('\n'))) return dispatch()
    if (body && isJson(body)) onEvent({ event: '', data: body.trim(), id })
  }

  return { push, end }
}

function endOfLine(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 10 || code === 13) return at
  }
  return -1
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
