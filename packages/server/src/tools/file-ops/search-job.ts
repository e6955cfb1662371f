import { AgentError } from '@parley/protocol'
import type { Search } from './search-script.ts'

/** ripgrep's lines, paths in them as `./` and the path in the workspace. */
export type Found = {
  lines: string[]
  /** Why there may be more: `limit` was reached, time or memory ran out. */
  end: 'done' | 'cut' | 'timeout' | 'memory'
}

const MAX_CHARACTERS = 64 * 1024
const MAX_COMPLAINT = 4_000
/** Exit codes of a shell. */
const NOT_STARTED = [126, 127]
const SIGPIPE = 141

/** One search, from the first who asks for it to its result. */
export class SearchJob {
  readonly search: Search
  /** The same for the same search. */
  readonly key: string
  isOver = false
  isCut = false
  readonly #result = Promise.withResolvers<Found>()
  readonly #lines: string[] = []
  #askers = 0
  #characters = 0
  #complaint = ''

  constructor(search: Search) {
    this.search = search
    this.key = JSON.stringify(search)
    // Those who asked hear of it.
    this.#result.promise.catch(() => undefined)
  }

  /** Several may ask for the same; it is given up when none of them wants it any more. */
  ask(signal: AbortSignal): Promise<Found> {
    this.#askers++
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal.reason as Error)
        if (--this.#askers === 0) this.fail(signal.reason)
      }
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      const stay = () => signal.removeEventListener('abort', leave)
      void this.#result.promise.finally(stay).then(resolve, reject)
    })
  }

  /** Resolves when there is nothing more to do, whatever came of it. */
  async over(): Promise<void> {
    await this.#result.promise.catch(() => undefined)
  }

  /** Nothing that was added before is about the search. */
  begin(): void {
    this.#complaint = ''
    this.#lines.length = 0
  }

  add(line: string): void {
    if (this.isOver || line === '') return
    if (!line.startsWith('./') && line !== '--') {
      if (this.#complaint.length < MAX_COMPLAINT) this.#complaint += `${line}\n`
      return
    }
    this.#characters += line.length
    if (this.#lines.length === this.search.limit || this.#characters > MAX_CHARACTERS) this.end('cut')
    else this.#lines.push(line)
  }

  /** 1 means that nothing was found, 2 that something was wrong: with the pattern, or with a file on the way. */
  finish(code: number): void {
    if (code === 2 && this.#lines.length === 0 && this.#complaint !== '')
      return this.fail(new AgentError('invalid_payload', this.#complaint.trim().slice(0, MAX_COMPLAINT)))
    if (NOT_STARTED.includes(code)) return this.breakOff('no ripgrep')
    this.end(code > 2 && code !== SIGPIPE ? 'memory' : 'done')
  }

  /** Its sandbox ended in the middle of it. */
  breakOff(by: string): void {
    if (by === 'memory') this.end('memory')
    else this.fail(new Error(`The search could not be done (${by}). ${this.#complaint}`.trim()))
  }

  end(end: Found['end']): void {
    this.isOver = true
    this.isCut ||= end === 'cut'
    this.#result.resolve({ lines: this.#lines, end })
  }

  fail(error: unknown): void {
    this.isOver = true
    this.#result.reject(error)
  }
}
