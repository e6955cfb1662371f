import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A style sheet and all it imports, in one piece, without its comments. */
export async function readStyles(file) {
  const pieces = (await readFile(file, 'utf8')).split('\n').map(async (line) => {
    const [, imported, layer] = /^@import '(.+)'( layer\(chatkit\))?;$/.exec(line) ?? []
    if (imported === undefined) return line
    const text = await readFile(join(file, '..', imported), 'utf8')
    return layer ? `@layer chatkit {\n${text}}` : text
  })
  return (await Promise.all(pieces)).join('\n').replace(/\/\*[\s\S]*?\*\//g, '')
}
