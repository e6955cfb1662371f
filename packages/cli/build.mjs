// The command line as one file; the server, many times larger, stays outside and is loaded when a command needs one.
import { join } from 'node:path'
import { build } from 'rolldown'

await build({
  input: join(import.meta.dirname, 'src/main.ts'),
  platform: 'node',
  resolve: { conditionNames: ['parley-source', 'node'] },
  external: ['@parley/server'],
  output: { dir: join(import.meta.dirname, 'bundle'), cleanDir: true, sourcemap: true },
  logLevel: 'warn',
})
