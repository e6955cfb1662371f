/** Shorter values are words that happen to be configured: `true`, `zh`, `8020`. */
export const SHORTEST_SECRET = 6

/** How much comparing a text may cost, in characters: ordinary texts and values need far less than one for each of theirs. */
const WORK = { always: 1_000_000, perCharacter: 64 } as const

/** Slots of the filter for each value: about one place in sixteen is looked at for nothing. */
const FILTER_SHARE = 16
/** A window's hash has five bits of each of its characters, so what lies before it has left the hash by itself. */
const SHIFT = 5
const HASH = 2 ** (SHIFT * SHORTEST_SECRET) - 1

type Place = { start: number; end: number }

/** Values with the same beginning, in order; `within[i]` is the longest of them that value `i` begins with, or -1. */
type Group = { values: string[]; within: Int32Array }

/**
 * Finds many values in a text in one pass. A filter over the hash of the next six characters lets nearly every place go; where
 * it does not, those six name the group of values that may stand there, and a binary search finds the longest one that does.
 */
export class SecretIndex {
  readonly #unsorted = new Map<string, string[]>()
  readonly #groups = new Map<string, Group>()
  readonly #filter: Uint8Array
  readonly #filterShift: number

  /** Made for about so many values. */
  constructor(size: number) {
    const bits = Math.min(24, Math.max(12, Math.ceil(Math.log2(size * FILTER_SHARE + 1))))
    this.#filter = new Uint8Array(2 ** bits)
    this.#filterShift = 32 - bits
  }

  /** Each value once, and none once a text was searched. */
  add(value: string): void {
    const beginning = value.slice(0, SHORTEST_SECRET)
    const same = this.#unsorted.get(beginning)
    if (same) {
      same.push(value)
      return
    }
    this.#unsorted.set(beginning, [value])
    let hash = 0
    for (let at = 0; at < SHORTEST_SECRET; at++) hash = ((hash << SHIFT) ^ beginning.charCodeAt(at)) & HASH
    this.#filter[slotOf(hash, this.#filterShift)] = 1
  }

  /** Where values stand, in order; those that overlap are one place. `too many`: finding them would cost too much. */
  placesIn(text: string): Place[] | 'too many' {
    const places: Place[] = []
    if (this.#unsorted.size === 0) return places
    const filter = this.#filter
    const shift = this.#filterShift
    let work = WORK.always + WORK.perCharacter * text.length
    let hash = 0
    let last: Place | undefined
    for (let at = 0; at < text.length; at++) {
      hash = ((hash << SHIFT) ^ text.charCodeAt(at)) & HASH
      const start = at - SHORTEST_SECRET + 1
      if (start < 0 || filter[slotOf(hash, shift)] === 0) continue
      const group = this.#groupOf(text.slice(start, at + 1))
      if (!group) continue
      const found = longestAt(text, start, group)
      work -= found.work
      if (work < 0) return 'too many'
      if (found.length === 0) continue
      const end = start + found.length
      if (last && start < last.end) last.end = Math.max(last.end, end)
      else places.push((last = { start, end }))
    }
    return places
  }

  /** Put in order when it is first needed: most never are. */
  #groupOf(beginning: string): Group | undefined {
    const known = this.#groups.get(beginning)
    if (known) return known
    const values = this.#unsorted.get(beginning)
    if (!values) return undefined
    const group = inOrder(values)
    this.#groups.set(beginning, group)
    return group
  }
}

function slotOf(hash: number, shift: number): number {
  return Math.imul(hash, 0x9e37_79b1) >>> shift
}

function inOrder(values: string[]): Group {
  values.sort()
  const within = new Int32Array(values.length).fill(-1)
  for (let i = 1; i < values.length; i++) {
    let shorter = i - 1
    while (shorter >= 0 && !values[i]!.startsWith(values[shorter]!)) shorter = within[shorter]!
    within[i] = shorter
  }
  return { values, within }
}

/** The longest value that stands at `start`: the last one that is not behind the text in order, or one that it begins with. */
function longestAt(text: string, start: number, { values, within }: Group): { length: number; work: number } {
  let work = 0
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >> 1
    const value = values[middle]!
    work += value.length
    if (value <= text.slice(start, start + value.length)) low = middle + 1
    else high = middle
  }
  for (let i = low - 1; i >= 0; i = within[i]!) {
    const value = values[i]!
    work += value.length
    if (text.startsWith(value, start)) return { length: value.length, work }
  }
  return { length: 0, work }
}
