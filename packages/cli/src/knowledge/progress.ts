import { printable } from '../printable.ts'
import type { Terminal } from '../terminal.ts'
import type { FoundFile } from './find-files.ts'
import type { Outcome } from './import-files.ts'

/** What one sees while files are added: a line that counts in a terminal, a line per document in a pipe. */
export class Progress {
  readonly #terminal: Terminal
  readonly #isQuiet: boolean
  readonly #all: number
  #done = 0
  #isAwayTold = false

  constructor(terminal: Terminal, { all, isQuiet }: { all: number; isQuiet: boolean }) {
    this.#terminal = terminal
    this.#all = all
    this.#isQuiet = isQuiet
  }

  file({ source }: FoundFile, outcome: Outcome): void {
    const { output, errors, style, words } = this.#terminal
    const said = words.knowledge.status[outcome.status]
    this.#done += 1
    this.#isAwayTold = false
    if (outcome.status === 'failed')
      this.#say(errors, style.red(`${said} ${printable(source)}: ${printable(outcome.reason)}`))
    else if (outcome.status !== 'unchanged' && !output.isTTY && !this.#isQuiet)
      this.#say(output, `${said} ${printable(source)}`)
    this.#count(source)
  }

  away(): void {
    const { errors, style, words } = this.#terminal
    if (!this.#isAwayTold) this.#say(errors, style.dim(words.knowledge.away))
    this.#isAwayTold = true
  }

  end(): void {
    if (this.#terminal.errors.isTTY) this.#terminal.errors.write('\r\x1b[K')
  }

  #say(to: NodeJS.WriteStream, line: string): void {
    this.end()
    to.write(`${line}\n`)
  }

  #count(source: string): void {
    const { errors, words, style } = this.#terminal
    if (!errors.isTTY || this.#isQuiet) return
    const count = words.knowledge.progress(this.#done, this.#all)
    // Half the columns: a Chinese character takes two, and a line that wraps could not be taken back.
    const room = Math.floor((errors.columns ?? 80) / 2) - count.length - 3
    errors.write(`\r\x1b[K${count}${room > 0 ? `  ${style.dim(printable(source).slice(-room))}` : ''}`)
  }
}
