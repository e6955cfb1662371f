import { setImmediate } from 'node:timers/promises'
import { SecretIndex, SHORTEST_SECRET } from './secret-index.ts'

/** So many values are made ready before others get their turn: some milliseconds. */
const PIECE = 4_000

const MASK = '[secret]'
/** What JSON writes in another way than it is. */
const ESCAPED = /["\\\p{Cc}\p{Cs}]/u

/** Takes values of the environment out of a text, as they are and as JSON writes them: whatever lies inside of one. */
export async function secretMask(values: Iterable<string>): Promise<(text: string) => string> {
  const forms = new Set<string>()
  await inPieces(values, (value) => {
    if (value.length < SHORTEST_SECRET) return
    forms.add(value)
    if (ESCAPED.test(value)) forms.add(JSON.stringify(value).slice(1, -1))
  })
  const index = new SecretIndex(forms.size)
  await inPieces(forms, (form) => index.add(form))
  return (text) => masked(text, index)
}

function masked(text: string, index: SecretIndex): string {
  const places = index.placesIn(text)
  // Too much to look through is too much to let out.
  if (places === 'too many') return MASK
  let shown = ''
  let end = 0
  for (const place of places) {
    shown += text.slice(end, place.start) + MASK
    end = place.end
  }
  return shown + text.slice(end)
}

async function inPieces<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let done = 0
  for (const item of items) {
    work(item)
    if (++done % PIECE === 0) await setImmediate()
  }
}
