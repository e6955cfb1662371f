import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { LoadHookSync } from 'node:module'
import { fileURLToPath } from 'node:url'

/** What files were, by their paths. */
export type FileDigests = Record<string, string>

export function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** For `registerHooks`: notes what every file is that is imported, but for those of packages. */
export function noteDigests(digests: FileDigests): LoadHookSync {
  return (url, context, next) => {
    if (url.startsWith('file:') && !url.includes('/node_modules/')) {
      const file = fileURLToPath(url)
      digests[file] = digestOf(readFileSync(file))
    }
    return next(url, context)
  }
}

/** A file that is not what it was, or not there any more. */
export async function changedFile(digests: FileDigests): Promise<string | undefined> {
  const changed = await Promise.all(
    Object.entries(digests).map(async ([file, digest]) => {
      const content = await readFile(file).catch(() => undefined)
      return content && digestOf(content) === digest ? [] : [file]
    }),
  )
  return changed.flat()[0]
}
