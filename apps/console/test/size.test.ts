import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const bundle = join(import.meta.dirname, '../bundle')
type Entry = { file: string; imports?: string[]; dynamicImports?: string[]; css?: string[] }
const manifest = JSON.parse(readFileSync(join(bundle, 'manifest.json'), 'utf8')) as Record<string, Entry>

const KIB = 1_024
/** What comes before anything can be done, and each page after that (docs/decisions/0110, 0114). */
const FIRST_LOAD = 212 * KIB
const PAGES = { runs: 30, usage: 35, other: 25 } as const

test('[G2.2] the first load is within its allowance, gzip: scripts, styles', () => {
  const first = filesOf(['index.html'])
  const size = total(first)
  expect(size, [...first].map((file) => `${(sizeOf(file) / KIB).toFixed(1)} ${file}`).join('\n')).toBeLessThan(
    FIRST_LOAD,
  )
})

test('[G2.2] a page is within its allowance, beside what is loaded already', () => {
  const first = filesOf(['index.html'])
  const pages = Object.keys(manifest).filter((name) => /^src\/pages\/\w+\/page\.tsx$/.test(name))
  expect(pages.length).toBeGreaterThan(0)
  for (const name of pages) {
    const own = [...filesOf([name])].filter((file) => !first.has(file))
    const folder = name.split('/')[2]!
    const limit = folder in PAGES ? PAGES[folder as keyof typeof PAGES] : PAGES.other
    expect(total(new Set(own)) / KIB, `${name}: ${own.join(' ')}`).toBeLessThan(limit)
  }
})

/** Everything that is loaded with these, and nothing that is loaded later. */
function filesOf(names: readonly string[]): Set<string> {
  const found = new Set<string>()
  const seen = new Set<string>()
  const add = (name: string) => {
    if (seen.has(name)) return
    seen.add(name)
    const entry = manifest[name]!
    for (const file of [entry.file, ...(entry.css ?? [])]) found.add(file)
    for (const other of entry.imports ?? []) add(other)
  }
  for (const name of names) add(name)
  return found
}

const sizeOf = (file: string) => statSync(join(bundle, `${file}.gz`)).size
const total = (files: Set<string>) => [...files].reduce((sum, file) => sum + sizeOf(file), 0)
