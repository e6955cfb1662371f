import { LogOutput } from '../log-output.ts'
import { filled, type Values } from '../words/filled.ts'
import { languageOfLocale, languageOfTag } from '../words/language.ts'
import { SUPERVISOR_LINES } from '../words/phrases/supervisor-lines.ts'

export type SupervisorPhrase = keyof typeof SUPERVISOR_LINES

/** How long the last words may take to get out. */
const LAST_WORDS_MS = 1_000
const QUIET: ReadonlySet<string> = new Set(['silent', 'fatal', 'error'])

/** Lines between those of the server, in its form and its language. */
export class SupervisorLog {
  readonly #output = new LogOutput(process.stdout)
  readonly #isQuiet: boolean
  #language: 'zh' | 'en'

  constructor(environment: NodeJS.ProcessEnv) {
    const { PARLEY_LANGUAGE = '', PARLEY_LOG_LEVEL = '' } = environment
    this.#language = languageOfTag(PARLEY_LANGUAGE) ?? languageOfLocale(environment) ?? 'zh'
    this.#isQuiet = QUIET.has(PARLEY_LOG_LEVEL)
  }

  /** The server has read its whole configuration, and knows better. */
  set language(language: 'zh' | 'en') {
    this.#language = language
  }

  words(key: SupervisorPhrase, values: Values = {}): string {
    return filled(SUPERVISOR_LINES[key][this.#language], values)
  }

  warn(key: SupervisorPhrase, values: Values): void {
    if (!this.#isQuiet) this.#output.write(`${lineOf(this.words(key, values))}\n`)
  }

  /** As the server says why it cannot start. */
  async lastWords(key: SupervisorPhrase, values: Values): Promise<void> {
    const errors = new LogOutput(process.stderr)
    errors.write(`${this.words(key, values)}\n`)
    await Promise.all([errors.flush(LAST_WORDS_MS), this.#output.flush(LAST_WORDS_MS)])
  }
}

const YELLOW = '\u001B[33m'
const PLAIN = '\u001B[39m'

function lineOf(msg: string): string {
  if (!process.stdout.isTTY) return JSON.stringify({ level: 40, time: Date.now(), msg })
  return `[${new Date().toTimeString().slice(0, 8)}] ${YELLOW}WARN${PLAIN}: ${msg}`
}
