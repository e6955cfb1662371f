// What every published package exports, as text that a review can read: packages/*/api.txt. `npm run api` writes it from
// the declarations that the compiler wrote, `--check` names the lines that differ.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportsOf, usedBy } from './declarations.mjs'
import { findNode, root, run } from './prepare.mjs'

const isCheck = process.argv.includes('--check')
if (!isCheck && (await run(findNode(), ['node_modules/typescript/bin/tsc', '-b'])) !== 0) process.exit(1)

for (const folder of readdirSync(join(root, 'packages')).sort()) {
  const manifest = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'))
  if (manifest.private || !manifest.exports) continue
  const file = `packages/${folder}/api.txt`
  const text = describe(manifest, join(root, 'packages', folder))
  if (isCheck) compare(file, text)
  else writeFileSync(join(root, file), text)
}

/** Every entry with its names, and below them what those are made of. */
function describe({ name, exports }, folder) {
  const shown = new Map()
  const sections = Object.entries(exports).map(([subpath, { types }]) => {
    const lines = exportsOf(join(folder, types)).map(({ name: exported, from, declaration }) => {
      if (!declaration) return `${exported} from ${from}`
      const isShown = shown.has(declaration.id)
      shown.set(declaration.id, declaration)
      const alias = exported === declaration.name ? '' : `${exported} is `
      return alias + (isShown ? declaration.name : declaration.text)
    })
    return section(join(name, subpath), lines)
  })
  // A map is walked to its end, also to what is added on the way.
  const inner = []
  for (const [, declaration] of shown)
    for (const used of usedBy(declaration)) {
      if (!shown.has(used.id)) inner.push(used.text)
      shown.set(used.id, used)
    }
  return [...sections, section('part of the above, not exported', inner)].join('\n')
}

function section(title, lines) {
  return [`=== ${title} ===`, ...lines.sort(), ''].join('\n')
}

function compare(file, text) {
  const path = join(root, file)
  const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
  if (before === text) return
  const gone = missing(before.split('\n'), text.split('\n')).map((line) => `- ${line}`)
  const come = missing(text.split('\n'), before.split('\n')).map((line) => `+ ${line}`)
  console.error(`${file} no longer says what the package exports:\n${[...gone, ...come].join('\n')}`)
  console.error('If that is what you want: npm run api\n')
  process.exitCode = 1
}

/** The lines that the others lack, each as often as they lack it. */
function missing(lines, others) {
  const left = [...others]
  return lines.filter((line) => {
    const at = left.indexOf(line)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
