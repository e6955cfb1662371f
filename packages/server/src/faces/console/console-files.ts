import { readFile, stat } from 'node:fs/promises'

// In a clone where it was built, seen from the bundle and from this file; in an installed package beside the bundle.
const FOLDERS = ['../../../apps/console/bundle/', '../../../../../apps/console/bundle/', '../console/'].map(
  (path) => new URL(path, import.meta.url),
)
const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  png: 'image/png',
}
/** In the order in which they are small. */
const PACKINGS = [
  { coding: 'br', end: '.br' },
  { coding: 'gzip', end: '.gz' },
] as const

export type ConsoleFile = { body: Buffer; type: string; coding: string | undefined }

/** A file of the built console, packed as the browser can take it; `undefined` where there is none. */
export async function consoleFile(name: string, accepted: string): Promise<ConsoleFile | undefined> {
  const type = TYPES[name.split('.').at(-1) ?? '']
  const folder = await builtFolder()
  // The build gives names of its own to everything: whatever else is asked for is not there.
  if (!type || !folder || !/^(?:assets\/)?[\w-]+\.\w+$/.test(name)) return undefined
  for (const { coding, end } of PACKINGS) {
    if (!new RegExp(`\\b${coding}\\b`).test(accepted)) continue
    const body = await readFile(new URL(name + end, folder)).catch(() => undefined)
    if (body) return { body, type, coding }
  }
  const body = await readFile(new URL(name, folder)).catch(() => undefined)
  return body && { body, type, coding: undefined }
}

/** The page itself, as it was built; `undefined` where nothing was. */
export async function consolePage(): Promise<string | undefined> {
  const folder = await builtFolder()
  return folder && (await readFile(new URL('index.html', folder), 'utf8').catch(() => undefined))
}

async function builtFolder(): Promise<URL | undefined> {
  for (const folder of FOLDERS) if (await stat(new URL('index.html', folder)).catch(() => null)) return folder
  return undefined
}
