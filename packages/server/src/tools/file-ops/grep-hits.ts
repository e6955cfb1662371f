import { openFile } from '../../workspace/files/open-file.ts'
import { scanLines } from './scan-lines.ts'

const MAX_LINE_BYTES = 500
const FILES_AT_ONCE = 16

/** A line of ripgrep's output. */
export type Hit = { path: string; number: number; isMatch: boolean; text: string } | 'gap'

/** Reads `path NUL number : text`, as `--null` writes it; a context line has `-` for `:`. */
export function hitOf(line: string): Hit | undefined {
  if (line === '--') return 'gap'
  const [, path, number, mark, text] = /^(?:\.\/)?([^\0]+)\0(\d+)([:-])(.*?)\r?$/s.exec(line) ?? []
  return path === undefined ? undefined : { path, number: Number(number), isMatch: mark === ':', text: text! }
}

/** As people read it. */
export function textOfHit(hit: Hit): string {
  if (hit === 'gap') return '--'
  const mark = hit.isMatch ? ':' : '-'
  return `${hit.path}${mark}${hit.number}${mark}${hit.text}`
}

/**
 * Those of the hits that are in the workspace, without a sandbox that would see to it. Their text is read anew from files
 * held inside: ripgrep goes by names, and a command that swaps a directory for a link at the right moment would have it
 * read outside.
 */
export async function hitsInside(workspace: string, hits: readonly Hit[], signal: AbortSignal): Promise<Hit[]> {
  const texts = await readHits(workspace, hits, signal)
  const inside: Hit[] = []
  for (const hit of hits) {
    if (hit === 'gap') {
      if (inside.length > 0 && inside.at(-1) !== 'gap') inside.push(hit)
      continue
    }
    const text = texts.get(hit.path)?.get(hit.number)
    if (text !== undefined) inside.push({ ...hit, text })
  }
  return inside.at(-1) === 'gap' ? inside.slice(0, -1) : inside
}

type Texts = Map<string, Map<number, string>>

async function readHits(workspace: string, hits: readonly Hit[], signal: AbortSignal): Promise<Texts> {
  const wanted = new Map<string, Set<number>>()
  for (const hit of hits) if (hit !== 'gap') wanted.set(hit.path, (wanted.get(hit.path) ?? new Set()).add(hit.number))
  const files = [...wanted]
  const texts: Texts = new Map()
  for (let from = 0; from < files.length; from += FILES_AT_ONCE)
    await Promise.all(
      files.slice(from, from + FILES_AT_ONCE).map(async ([path, numbers]) => {
        texts.set(path, await linesOf({ workspace, path }, numbers, signal))
      }),
    )
  return texts
}

/** None at all when the file is not, or no longer, one of the workspace. */
async function linesOf(
  { workspace, path }: { workspace: string; path: string },
  wanted: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<Map<number, string>> {
  const last = Math.max(...wanted)
  const lines = new Map<number, string>()
  try {
    await using file = await openFile(workspace, path)
    await scanLines(file.handle, {
      signal,
      maxLineBytes: MAX_LINE_BYTES,
      wants: (number) => wanted.has(number),
      onLine(number, text) {
        lines.set(number, text)
        return number < last
      },
    })
  } catch {
    signal.throwIfAborted()
  }
  return lines
}
