import { AgentError } from '@parley/protocol'
import { LimitedProcess, LimitError } from '../../foreign/limited-process.ts'
import type { DocumentKind } from './document-kind.ts'
import { type DocumentJob, type DocumentText, MAX_FILE_BYTES, type Refusal } from './document-limits.ts'

export type DocumentReaderOptions = {
  /** Of one file, of the processor's time. Default 20 s. */
  timeLimitMs?: number
  /** Default 512. */
  memoryMb?: number
}

/** Files wait as bytes: no more of them than this, with the one that is read. */
const MAX_FILES = 8
const MAX_NAME_SHOWN = 200

/**
 * Files as text with Markdown headings. They are read in a process of its own, one after the other, with limits on time,
 * memory and size: what one does to it, the next one does not notice, nor the server.
 */
export class DocumentReader implements AsyncDisposable {
  readonly #process: LimitedProcess
  /** For a sentence. */
  readonly #limits: string
  #files = 0

  constructor({ timeLimitMs = 20_000, memoryMb = 512 }: DocumentReaderOptions = {}) {
    this.#process = new LimitedProcess({ job: 'document', timeLimitMs, memoryMb })
    this.#limits = `${timeLimitMs / 1_000} seconds of processor time, or ${memoryMb} MB of memory`
  }

  /** Throws an `AgentError` that names the file and says why: `invalid_payload`, `payload_too_large`; `rate_limited` when too many wait. */
  async read(
    { name, kind, bytes }: { name: string; kind: DocumentKind; bytes: Uint8Array },
    signal: AbortSignal,
  ): Promise<DocumentText> {
    const shown = name.slice(0, MAX_NAME_SHOWN).toWellFormed()
    if (bytes.length > MAX_FILE_BYTES)
      throw new AgentError(
        'payload_too_large',
        `${shown} has more than ${MAX_FILE_BYTES} bytes. Split it into several files.`,
      )
    if (this.#files >= MAX_FILES)
      throw new AgentError(
        'rate_limited',
        `${MAX_FILES} files are being read already. Send ${shown} again in a moment.`,
      )
    this.#files++
    try {
      const found = await this.#process.run<DocumentText | Refusal>({ kind, bytes } satisfies DocumentJob, signal)
      if ('refused' in found) throw new AgentError(found.refused, `${shown} ${found.because}`)
      return found
    } catch (error) {
      throw signal.aborted ? error : this.#refusal(error, shown)
    } finally {
      this.#files--
    }
  }

  #refusal(cause: unknown, name: string): unknown {
    if (cause instanceof AgentError) return cause
    if (!(cause instanceof LimitError))
      return new AgentError('invalid_payload', `${name} cannot be read: it seems to be damaged.`, { cause })
    if (cause.reason === 'busy')
      return new AgentError('rate_limited', `${name} was not read. ${cause.message}`, { cause })
    const message = `${name} takes more than ${this.#limits} to be read. Split it, or save it as something simpler.`
    return new AgentError('payload_too_large', message, { cause })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]()
  }
}
