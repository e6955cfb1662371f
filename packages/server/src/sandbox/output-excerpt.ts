/** What the model sees of an output: everything, or its two ends. */
export const MODEL_BYTES = 64 * 1024
/** An output is kept whole up to here, for results that carry a card: those are cut by nobody. */
const WHOLE_BYTES = 1024 * 1024

/** Takes an output of any length in bounded memory and keeps its beginning and its end. */
export class OutputExcerpt {
  readonly #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0
  #bytes = 0

  add(chunk: Buffer): void {
    this.#bytes += chunk.length
    const room = WHOLE_BYTES - this.#headBytes
    const early = chunk.subarray(0, room)
    if (early.length > 0) this.#head.push(early)
    this.#headBytes += early.length
    const late = chunk.subarray(early.length)
    if (late.length === 0) return
    this.#tail.push(late)
    this.#tailBytes += late.length
    while (this.#tailBytes - this.#tail[0]!.length >= MODEL_BYTES) this.#tailBytes -= this.#tail.shift()!.length
  }

  /** The whole text, or `undefined` when it was too long to keep. */
  whole(): string | undefined {
    return this.#bytes > WHOLE_BYTES ? undefined : Buffer.concat(this.#head).toString('utf8')
  }

  /** Head and tail with a line between them that says how many bytes are missing. */
  text(limit = MODEL_BYTES): string {
    const kept = Buffer.concat([...this.#head, ...this.#tail])
    if (this.#bytes <= limit) return kept.toString('utf8')
    const head = wholeCharacters(kept.subarray(0, limit / 2))
    const tail = fromCharacter(kept.subarray(-limit / 2))
    const left = this.#bytes - head.length - tail.length
    return `${head.toString('utf8')}\n… (${left} bytes left out) …\n${tail.toString('utf8')}`
  }
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

/** Without the character that the cut went through. */
function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length
  while (end > 0 && bytes.length - end < 4 && isContinuation(bytes[end - 1])) end--
  const first = bytes[end - 1] ?? 0
  const needed = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  return bytes.length - (end - 1) >= needed ? bytes : bytes.subarray(0, end - 1)
}

function fromCharacter(bytes: Buffer): Buffer {
  let start = 0
  while (start < 4 && isContinuation(bytes[start])) start++
  return bytes.subarray(start)
}
