// What `parley.config.ts` imports, also in a clone where the compiler has never been.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'

const folder = import.meta.dirname
const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

await build({
  input: Object.values(exports).map((entry) => join(folder, entry['parley-source'])),
  platform: 'neutral',
  external: /^[^./]/,
  output: { dir: join(folder, 'bundle'), cleanDir: true },
  logLevel: 'warn',
})
