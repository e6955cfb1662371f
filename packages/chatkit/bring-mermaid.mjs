// Mermaid runs in a frame without network, so it is handed over as text: `@parley/chatkit/mermaid`. All we need is one file
// of its package, which has everything in it; as a dependency it would bring ninety others, 190 MB of them unused.
// Old enough JavaScript for the system's Node 20.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const VERSION = '12.3.0'
const INTEGRITY = 'sha512-4113TdXeLAsMruJ79OpFL5O8+LTFXhQqZ260rF3tgUmiNAtRm4Uume04I+65PRN6yZ69J4f8rVYWW8zRk65UYw=='
const FIRST_LINE = `// Made by bring-mermaid.mjs of mermaid ${VERSION}.\n`
const made = join(dirname(fileURLToPath(import.meta.url)), 'bundle/mermaid.js')
const run = promisify(execFile)

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

/** npm brings the package, from the registry it is configured for; what it brought is compared with what we know. */
async function fetchMermaid() {
  const folder = await mkdtemp(join(tmpdir(), 'parley-mermaid-'))
  try {
    const shell = process.platform === 'win32'
    await run('npm', ['pack', `mermaid@${VERSION}`, '--loglevel=error', '--pack-destination', folder], {
      cwd: folder,
      shell,
    })
    const packed = join(folder, `mermaid-${VERSION}.tgz`)
    const found = `sha512-${createHash('sha512')
      .update(await readFile(packed))
      .digest('base64')}`
    if (found !== INTEGRITY) throw new Error(`mermaid ${VERSION} is not the package we know: ${found}`)
    await run('tar', ['-xzf', packed, 'package/dist/mermaid.min.js'], { cwd: folder })
    const text = await readFile(join(folder, 'package/dist/mermaid.min.js'), 'utf8')
    await mkdir(dirname(made), { recursive: true })
    await writeFile(`${made}.part`, `${FIRST_LINE}export const source = ${JSON.stringify(text)}\n`)
    await rename(`${made}.part`, made)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
