import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

const folder = join(import.meta.dirname, '..')
const entries = Object.values(manifest.exports).map((entry) => entry['parley-source'])
const MAIN = './src/index.ts'
const SCHEMAS = './src/schemas.ts'

test('the entry has at most 90 names, and no name has two homes', () => {
  expect(namesOf(MAIN).length).toBeLessThanOrEqual(90)
  const all = entries.flatMap(namesOf)
  expect(all.filter((name, index) => all.indexOf(name) < index)).toEqual([])
})

test.each(entries.filter((entry) => entry !== SCHEMAS))('%s loads no schema', (entry) => {
  expect(loadedBy(join(folder, entry))).not.toContain('zod')
})

test('schemas are loaded by the entry that says so', () => {
  expect(loadedBy(join(folder, SCHEMAS))).toContain('zod')
})

function namesOf(file: string): string[] {
  const source = readFileSync(join(folder, file), 'utf8')
  const listed = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names]) => names!.split(','))
  const declared = [...source.matchAll(/^export (?:type|const|function) (\w+)/gm)].map(([, name]) => name!)
  return [...listed, ...declared].map((name) => name.trim()).filter((name) => name !== '')
}

/** What a file loads when it runs, itself and packages included; imports of types are gone by then. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  if (!file.endsWith('.ts')) return seen
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )[\w\s{},]*from '([^']+)'/gm))
    loadedBy(name!.startsWith('.') ? join(file, '..', name!) : name!, seen)
  return seen
}
