import { createInterface, type Interface } from 'node:readline'
import type { Terminal } from './terminal.ts'

/**
 * Lines of the user. On a terminal each line is an interface of its own, so that between lines the keys belong to the
 * question picker and Ctrl-C to the run; a pipe is read as one stream.
 */
export class LineReader implements Disposable {
  readonly #terminal: Terminal
  readonly #history: string[] = []
  #piped: AsyncIterator<string> | null = null
  #pipe: Interface | null = null

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  /** null: the user left, or the input is at its end. */
  read(prompt: string): Promise<string | null> {
    return this.#terminal.isInteractive ? this.#ask(prompt) : this.#next()
  }

  [Symbol.dispose](): void {
    this.#pipe?.close()
  }

  #ask(prompt: string): Promise<string | null> {
    const { input, output, style, words } = this.#terminal
    return new Promise((resolve) => {
      const line = createInterface({ input, output, history: [...this.#history], prompt })
      let isWarned = false
      let said: string | null = null
      line.on('SIGINT', () => {
        if (isWarned || line.line !== '') {
          if (line.line === '') return line.close()
          line.write(null, { ctrl: true, name: 'u' }) // the first one clears the line, as in a shell
          return
        }
        isWarned = true
        output.write(`\n${style.dim(words.pressAgain)}\n`)
        line.prompt()
      })
      line.on('line', (text) => {
        said = text
        if (text.trim()) this.#history.unshift(text)
        line.close()
      })
      line.on('close', () => resolve(said))
      line.prompt()
    })
  }

  async #next(): Promise<string | null> {
    this.#pipe ??= createInterface({ input: this.#terminal.input })
    this.#piped ??= this.#pipe[Symbol.asyncIterator]()
    const { done, value } = await this.#piped.next()
    return done ? null : value
  }
}
