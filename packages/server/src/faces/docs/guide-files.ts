import { readFile, stat } from 'node:fs/promises'
import type { Language } from '../../words/language.ts'
import type { PageName } from './guide-words.ts'

// In a clone where it is written, seen from the bundle and from this file; in an installed package beside the bundle.
const FOLDERS = ['../../../docs/guide/', '../../../../../docs/guide/', '../guide/'].map(
  (path) => new URL(path, import.meta.url),
)

/** A block of code that is a file: ```sh file=code/first.sh and nothing inside. */
const INCLUDED = /^(```\w+) file=(code\/[\w.-]+)\n```$/gm

/** The pages as they are written, with the files in them that they name. */
export class GuideFiles {
  #folder: Promise<URL | undefined> | undefined

  /** `undefined` where the guide was not installed. */
  async page(language: Language, name: PageName): Promise<string | undefined> {
    const folder = await (this.#folder ??= findFolder())
    if (!folder) return undefined
    const text = await readFile(new URL(`${language}/${name}.md`, folder), 'utf8')
    const names = [...new Set([...text.matchAll(INCLUDED)].map(([, , path]) => path!))]
    const codes = new Map(
      await Promise.all(
        names.map(async (path) => [path, (await readFile(new URL(path, folder), 'utf8')).trimEnd()] as const),
      ),
    )
    return text.replaceAll(INCLUDED, (_, fence: string, path: string) => `${fence} ${path}\n${codes.get(path)}\n\`\`\``)
  }
}

async function findFolder(): Promise<URL | undefined> {
  for (const folder of FOLDERS) if (await stat(new URL('en/', folder)).catch(() => null)) return folder
  return undefined
}
