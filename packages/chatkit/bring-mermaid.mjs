// Mermaid runs in a frame without network, so it is handed over as text: `@parley/chatkit/mermaid`. All we need is one file
// of its package, which has everything in it; as a dependency it would bring ninety others, 190 MB of them unused.
// Old enough JavaScript for the system's Node 20.
import { open, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fetchFile } from '../cli/bin/fetch-file.mjs'

const VERSION = '12.3.0'
const INTEGRITY = 'sha512-4113TdXeLAsMruJ79OpFL5O8+LTFXhQqZ260rF3tgUmiNAtRm4Uume04I+65PRN6yZ69J4f8rVYWW8zRk65UYw=='
const FIRST_LINE = `// Made by bring-mermaid.mjs of mermaid ${VERSION}.\n`
const made = join(dirname(fileURLToPath(import.meta.url)), 'bundle/mermaid.js')

export async function isMermaidThere() {
  const file = await open(made).catch(() => null)
  if (!file) return false
  try {
    const { buffer } = await file.read({ buffer: Buffer.alloc(FIRST_LINE.length) })
    return buffer.toString() === FIRST_LINE
  } finally {
    await file.close()
  }
}

/** `null` when it went well, else what npm printed or what is wrong. */
export function bringMermaid() {
  return fetchMermaid().then(
    () => null,
    (error) => error.stderr || error.message,
  )
}

async function fetchMermaid() {
  const script = `${made}.txt`
  await fetchFile({ name: 'mermaid', version: VERSION, integrity: INTEGRITY, file: 'dist/mermaid.min.js', to: script })
  const text = await readFile(script, 'utf8')
  await writeFile(script, `${FIRST_LINE}export const source = ${JSON.stringify(text)}\n`)
  await rename(script, made)
}
