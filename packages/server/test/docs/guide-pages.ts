import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../../..')
export const GUIDE = join(ROOT, 'docs/guide')

export type GuidePage = { language: 'en' | 'zh'; name: string; text: string }

export const guidePages: readonly GuidePage[] = (['en', 'zh'] as const).flatMap((language) =>
  readdirSync(join(GUIDE, language)).map((file) => ({
    language,
    name: file.replace(/\.md$/, ''),
    text: readFileSync(join(GUIDE, language, file), 'utf8'),
  })),
)

/** What stands behind the three backticks that open a block of code. */
export function blocksOf(text: string): string[] {
  return [...text.matchAll(/^```(.*)\n[^]*?^```$/gm)].map(([, info]) => info!)
}

export function includedIn(text: string): string[] {
  return blocksOf(text).flatMap((info) => /file=(\S+)/.exec(info)?.[1] ?? [])
}
