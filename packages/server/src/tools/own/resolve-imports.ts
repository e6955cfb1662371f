import type { ResolveHookSync } from 'node:module'
import { isAbsolute, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ToolFiles } from './tool-files.ts'

type Place = Partial<Pick<ToolFiles, 'project' | 'moved'>>

/** What a file with tools imports: ours are found even where nobody has installed them. */
const OURS = /^(?:@parley\/tools|zod)(?:\/|$)/

/**
 * For `registerHooks`: what operators' files import is found as usual; else from their project; else, for what defines a
 * tool, where this server has it.
 */
export function resolveImports({ project, moved }: Place = {}): ResolveHookSync {
  return (specifier, context, next) => {
    const importer = context.parentURL
    const original = moved && importer ? originalOf(importer, moved) : importer
    if (/^\.{0,2}\//.test(specifier)) {
      if (!moved || !original || original === importer) return next(specifier, context)
      const leaves = !isInside(new URL(specifier, importer).href, moved.to)
      return next(specifier, leaves ? { ...context, parentURL: original } : context)
    }
    if (/^(?:[a-z]+:|#)/.test(specifier)) return next(specifier, { ...context, parentURL: original })
    const places = [
      original,
      project && pathToFileURL(join(project, 'package.json')).href,
      OURS.test(specifier) ? import.meta.url : undefined,
    ]
    let failure: unknown
    for (const parentURL of new Set(places.filter((place) => place !== undefined)))
      try {
        return next(specifier, { ...context, parentURL })
      } catch (error) {
        failure ??= error
        if (!isMissing(error)) throw error
      }
    throw failure ?? new Error(`${specifier} cannot be found.`)
  }
}

/** Where a file of the copy comes from; any other is where it is. */
function originalOf(url: string, { from, to }: { from: string; to: string }): string {
  return isInside(url, to) ? pathToFileURL(join(from, relative(to, fileURLToPath(url)))).href : url
}

function isInside(url: string, directory: string): boolean {
  if (!url.startsWith('file:')) return false
  const path = relative(directory, fileURLToPath(url))
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

function isMissing(error: unknown): boolean {
  return ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes((error as NodeJS.ErrnoException).code ?? '')
}
