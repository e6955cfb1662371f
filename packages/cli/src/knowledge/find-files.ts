import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, sep } from 'node:path'

/** A file that may become a document. */
export type FoundFile = {
  path: string
  /** What the server calls it: its path below the given directory, with `/`. */
  source: string
  category: string
  size: number
}

export type FoundFiles = {
  files: FoundFile[]
  /** Folders that could not be read: nobody knows what is in them. */
  unread: { source: string; reason: string }[]
  leftOut: LeftOut
  isDirectory: boolean
}

/** How many entries were not looked at, by why. */
export type LeftOut = { hidden: number; links: number; kinds: number }

/** What the server can read. */
const KINDS = new Set(['.md', '.markdown', '.txt', '.html', '.htm', '.pdf'])

export class TooManyFilesError extends Error {
  override readonly name = 'TooManyFilesError'
}

/** The documents at a path: the file itself, or all that lie below the directory. */
export async function findFiles(given: string, most: number): Promise<FoundFiles> {
  const root = await realpath(given)
  const about = await stat(root)
  const found: FoundFiles = {
    files: [],
    unread: [],
    leftOut: { hidden: 0, links: 0, kinds: 0 },
    isDirectory: about.isDirectory(),
  }
  if (!found.isDirectory) {
    const [source, category] = [basename(root), basename(dirname(root)) || basename(root)]
    return { ...found, files: [{ path: root, source, category, size: about.size }] }
  }
  // A list, not a recursion: a tree may be deeper than the stack.
  const folders = [root]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: Error) => {
      found.unread.push({ source: sourceOf(root, folder), reason: error.message })
      return []
    })
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.name.startsWith('.') || entry.name === 'node_modules') found.leftOut.hidden += 1
      else if (entry.isDirectory()) folders.push(path)
      else if (entry.isSymbolicLink() && !(await staysInside(root, path))) found.leftOut.links += 1
      else if (!KINDS.has(extname(entry.name).toLowerCase())) found.leftOut.kinds += 1
      else if (entry.isFile() || entry.isSymbolicLink()) found.files.push(await fileAt(root, path))
      if (found.files.length > most) throw new TooManyFilesError()
    }
  }
  found.files.sort((one, other) => (one.source < other.source ? -1 : 1))
  return found
}

/** A link to a folder would show what is there a second time, or lead round in a circle: only links to files count. */
async function staysInside(root: string, link: string): Promise<boolean> {
  try {
    const target = await realpath(link)
    return target.startsWith(root.endsWith(sep) ? root : root + sep) && (await stat(target)).isFile()
  } catch {
    return false // It leads nowhere.
  }
}

async function fileAt(root: string, path: string): Promise<FoundFile> {
  const source = sourceOf(root, path)
  const [folder, ...below] = source.split('/')
  const { size } = await stat(path)
  return { path, source, size, category: below.length > 0 ? folder! : basename(root) || 'default' }
}

function sourceOf(root: string, path: string): string {
  return relative(root, path).split(sep).join('/')
}
