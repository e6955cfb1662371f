/** Longer names are no slips of the pen. */
const MAX_LENGTH = 40

/** The known name that was probably meant, or `undefined` when none is near: spelt alike, or a part of the other. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  const candidates = known
    .map((candidate) => ({ candidate, distance: distanceOf(plain(name), plain(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.max(name.length, candidate.length) / 3)
  return candidates.sort((a, b) => a.distance - b.distance)[0]?.candidate
}

/** `editedArguments` and `edited-arguments` are the same slip. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

function distanceOf(a: string, b: string): number {
  if (a === b) return 0
  if (a.length > 3 && b.length > 3 && (a.includes(b) || b.includes(a))) return 1
  return edits(a, b)
}

/** How many letters have to be added, dropped or changed; two neighbours that changed places count as one. */
function edits(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const isSwap = i > 0 && j > 0 && letter === b[j - 1] && a[i - 1] === other
      const swapped = isSwap ? before[j - 1]! + 1 : Infinity
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (letter === other ? 0 : 1), swapped))
    }
    before = row
    row = next
  }
  return row.at(-1)!
}
