import type { Terminal } from './terminal.ts'

/** How often one is told that something goes on. */
const EVERY_MS = { terminal: 1_000, pipe: 10_000 }

/**
 * Lines on standard error, and below them what is under way and for how long: rewritten every second on a terminal, and
 * a line every ten in a pipe, so that nothing is silent for longer.
 */
export class StatusLine implements Disposable {
  readonly #errors: NodeJS.WriteStream
  readonly #style: Terminal['style']
  readonly #timer: NodeJS.Timeout
  #underWay = ''
  #detail = ''
  #since = performance.now()
  #isShown = false

  constructor({ errors, style }: Terminal) {
    this.#errors = errors
    this.#style = style
    this.#timer = setInterval(() => this.#tell(), errors.isTTY ? EVERY_MS.terminal : EVERY_MS.pipe).unref()
  }

  line(text: string): void {
    this.#clear()
    this.#errors.write(`${text}\n`)
    if (this.#errors.isTTY) this.#tell()
  }

  /** Told from now on. The same again goes on counting, whatever its detail. */
  show(underWay: string, detail = ''): void {
    this.#detail = detail
    if (underWay === this.#underWay) return
    this.#underWay = underWay
    this.#since = performance.now()
    if (this.#errors.isTTY) this.#tell()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#clear()
  }

  #tell(): void {
    this.#clear()
    if (this.#underWay === '') return
    const seconds = Math.floor((performance.now() - this.#since) / 1_000)
    const rest = `${this.#detail && `  ${this.#detail}`} … ${seconds} s`
    if (!this.#errors.isTTY) return void this.#errors.write(`${this.#underWay}${rest}\n`)
    // Half the columns: a Chinese character takes two, and a line that wraps could not be taken back.
    const room = Math.max(0, Math.floor((this.#errors.columns || 80) / 2) - rest.length)
    this.#errors.write(this.#style.dim(this.#underWay.slice(0, room) + rest))
    this.#isShown = true
  }

  #clear(): void {
    if (this.#isShown) this.#errors.write('\r\x1b[K')
    this.#isShown = false
  }
}
